"""Keys and tokens that somebody issued: each shows by its own form, as its issuer documents it.

Source: the issuers' documentation of their key formats; RFC 7519 (JWT), RFC 7468 (PEM), RFC 3986 (userinfo).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from yesteryear.core.secrets.found import Piece, SecretSpan

_LONG = re.compile(r"[\w%+/=.~$-]{16}")
"""Every form here but those of addresses and commands has a run of this length."""


class _Form(NamedTuple):
    """A form that begins with letters of its own."""

    prefix: str
    pattern: re.Pattern[str]


def _forms(entries: str) -> tuple[_Form, ...]:
    """Read entries ``prefix:n``: at least ``n`` letters, digits, dashes and underscores follow, a digit among them."""
    found = []
    for entry in entries.split():
        prefix, _, count = entry.rpartition(":")
        edge = f"(?<![A-Za-z0-9]{re.escape(prefix)})"
        rest = rf"(?=[\w-]{{0,200}}?\d)[\w-]{{{count},}}+"
        found.append(_Form(prefix, re.compile(re.escape(prefix) + edge + rest, re.ASCII)))
    return tuple(found)


_FORMS = _forms(
    """
    AKIA:16 ASIA:16 ABIA:16 ACCA:16 LTAI:16 AIza:33 ya29.:20 GOCSPX-:20 1//0:30
    ghp_:30 gho_:30 ghs_:30 ghr_:30 ghu_:30 github_pat_:22
    glpat-:20 glrt-:20 gldt-:20 glcbt-:20 glptt-:20 glagent-:20 glsoat-:20 gloas-:20 glft-:20 glimt-:20
    xoxb-:10 xoxp-:10 xoxa-:10 xoxr-:10 xoxs-:10 xoxe-:10 xoxo-:10 xoxc-:10 xoxd-:10 xoxe.:10 xapp-:10
    sk_live_:10 sk_test_:10 rk_live_:10 rk_test_:10 whsec_:16
    sk-:20 hf_:30 npm_:30 pypi-:40 rubygems_:30 CLOJARS_:40 oy2:43 dckr_pat_:20 dckr_oat_:20
    r8_:30 gsk_:40 xai-:40 pplx-:40 nvapi-:40 tvly-:20 lsv2_:30 ops_eyJ:40 fw_:22 esecret_:20
    SG.:16 SK:32 AC:32 key-:32 re_:24 dop_v1_:40 doo_v1_:40 dor_v1_:40 vercel_:20 nfp_:30 fo1_:30 fm1_:30 fm2_:30
    shpat_:32 shpss_:32 shpca_:32 shppa_:32 sq0csp-:30 sq0atp-:20 EAAA:50 EAAC:50 IGQV:50 FLWSECK-:30 FLWSECK_TEST-:12
    lin_api_:30 lin_oauth_:30 ntn_:30 figd_:20 PMAK-:24 NRAK-:24 NRIQ-:24 glsa_:30 glc_:32 sntrys_:40 sntryu_:40
    ATATT3:40 ATCTT3:40 ATBB:28 dp.pt.:40 dp.st.:40 dp.ct.:40 pscale_tkn_:30 pscale_pw_:30 pscale_oauth_:30
    dapi:32 tskey-:20 sbp_:40 hvs.:20 hvb.:20 hvr.:20 AGE-SECRET-KEY-1:50 CFPAT-:40 pat-na1-:30 pat-eu1-:30
    dp.sa.:40 dp.scim.:40 dp.audit.:40 HRKU-:30 pul-:40 tfp_:40 phc_:40 phs_:40 PMAT-:24 NRII-:24 NRJS-:15 NRAA-:24
    glrtr-:20 glwt-:20 glffct-:20 GR1348941:20 xwfp-:20 shpua_:30 shpit_:30 sbp_v0_:40 sb_secret_:20 ATSTT3:40 ATTA:60
    AKID:32 SCW:17 AKCp:60 cmVmd:50 sqp_:40 squ_:40 sqa_:40 CCIPAT_:20 bkat_:30 pnu_:30 rzp_live_:14 rzp_test_:14
    xkeysib-:60 xsmtpsib-:60 csk-:40 pcsk_:40 napi_:40 xau_:30 tgp_v1_:40 wandb_v1_:30 apify_api_:30 sk_:32
    figo_:20 figu_:20 figor_:20 syt_:20 nsec1:50 hcaik_:30 xaat-:30 xapt-:30 os_v2_app_:30 rnd_:28 ddp_:30 cal_live_:20
    vcp_:24 vck_:24 nfo_:30 nfc_:30 nfb_:30 EAA:80 APA91b:100 fnA:36 signkey-prod-:30 fio-u-:40 access-production-:30
    access-sandbox-:30 access-development-:30 amzn.mws.:30 FLWPUBK-:30 cio:32 mfa.:60 packagist_:30 unkey_:20 pylf_:30
    EZAK:50 EZTK:50 duffel_live_:40 duffel_test_:40 shippo_live_:40 shippo_test_:40 rdme_:60 phx_:40 cio-:30
    AQVN:30 t1.:40 y0_:40 bkua_:30 ico-:32 live_:32 mtdp_:30 sgp_:40 eyJrIjoi:60 sl.:60 sl.u.:60 xprv:100
    ABSK:100 zpka_:30 apify_pat_:30
    """
)
_MORE_PARTS = re.compile(r"[\w.-]*+(?<![.\-])")
"""What of a token stands behind its form: more parts after a dot."""
_DOTTED = frozenset({"SG.", "ya29.", "ops_eyJ", "t1.", "xoxe.", "dp.st."})

_OWN_KEY = re.compile(r"yy_(?<![A-Za-z0-9]yy_)[a-z0-9]{4,}_[a-z0-9]{8,}(?:_[a-z0-9]{16,})?")
_JSON_WEB_TOKEN = re.compile(r"eyJ(?<![\w-]eyJ)[\w-]{8,}+(?:\.[\w-]{4,}+){1,4}(?:\.(?!\w))?", re.ASCII)
_AUTHORISATION = re.compile(
    r"(?:bearer|basic)(?<!\wbearer)(?<!\wbasic)\s{1,3}(?P<value>(?=[\w.~+/-]{0,200}?\d)[\w.~+/-]{16,}+=*+)"
)
_BOT = re.compile(r"(?<![A-Za-z0-9])\d{6,12}:[\w-]{33,}+", re.ASCII)
_MADE_OF_PARTS = re.compile(r"(?<![\w.-])[MNO][\w-]{22,30}\.[\w-]{5,7}\.[\w-]{25,}+", re.ASCII)
_REGIONAL = re.compile(r"(?<![A-Za-z0-9])[0-9a-f]{32}-us\d{1,2}(?![\w-])", re.ASCII)
_WORKSPACE = re.compile(r"[\w-]{3,40}+\.atlasv1\.[\w-]{40,}+", re.ASCII)
_VENDOR_SECRET = re.compile(r"(?<![\w~-])[\w~.-]{3}[78]Q~[\w~.-]{31,34}(?![\w~-])", re.ASCII)
_WALLET = re.compile(r"(?<![A-Za-z0-9])[5KL][1-9A-HJ-NP-Za-km-z]{50,51}(?![A-Za-z0-9])")
_WALLET_NUMBER = re.compile(r"(?<![A-Za-z0-9])(?:0x)?[0-9a-f]{64}(?![A-Za-z0-9])")
_OF_WALLET = re.compile(r"private|metamask|wallet|mnemonic|ledger|keystore|trezor|accounts?\b")
_OF_PAYMENT = re.compile(r"\btx|transaction|hash|block|sha|checksum|commit|digest")
_AROUND_CHARS = 60
"""How far from a wallet's private key the word may stand that says so, in characters."""
_HASH = re.compile(r"\$(?:2[abxy]|[156y]|argon2(?:id|i|d)|scrypt)\$[\w./$,=+-]{20,}+")
_SHAPES = tuple(
    (mark, re.compile(rf"(?<![\w.-])(?:{shape})(?![\w-])", re.ASCII))
    for mark, shape in (
        ("pat", r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),  # Airtable
        ("dt0", r"dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),  # Dynatrace
        (":", r"\d{10,20}:[0-9a-f]{32}"),  # Asana
        ("hf_", r"hf_[A-Za-z]{34}"),  # Hugging Face, where it has no digit
        ("k.eyJ", r"[pst]k\.eyJ[\w-]{20,}\.[\w-]{10,}"),  # Mapbox
        ("NRAL", r"[0-9a-f]{36}NRAL"),  # New Relic
        ("oauth:", r"oauth:[a-z0-9]{30}"),  # Twitch
        ("v1.0-", r"v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}"),  # Cloudflare
        ("pk_", r"pk_\d{5,12}_[A-Z0-9]{32}"),  # ClickUp
        ("s.", r"s\.(?=[A-Za-z]{0,22}\d)(?=[a-z\d]{0,22}[A-Z])[A-Za-z0-9]{24}"),  # Vault
        ("KEY0", r"KEY0[0-9A-F]{31}_[\w]{20,}"),  # Telnyx
        ("-", r"(?:sdk|mob|api)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),  # LaunchDarkly
        ("-", r"A3-[A-Z0-9]{6}(?:-[A-Z0-9]{5,6}){5}"),  # 1Password
        (
            "-",
            r"(?=[A-Z\d-]{0,40}?\d[A-Z]|[A-Z\d-]{0,40}?[A-Z]\d)[A-Z0-9]{4,8}(?:-[A-Z0-9]{6,8}){2,4}",
        ),  # keys of licences
        ("-", r"(?=[A-Z-]{0,30}?\d)(?=[\d-]{0,30}?[A-Z])[A-Z0-9]{5}(?:-[A-Z0-9]{5}){3,5}"),  # keys of licences
        ("-", r"(?=[A-Z-]{0,30}?\d)(?=[\d-]{0,30}?[A-Z])[A-Z0-9]{4}(?:-[A-Z0-9]{4}){5}"),  # keys to recover a disk
        ("-", r"\d{6}(?:-\d{6}){7}"),
    )
)
"""Forms of several parts, by a mark that is in all of them."""
_SIGNED_SHAPES = tuple(
    (mark, re.compile(rf"(?<![\w.-])(?:{shape})(?![\w-])", re.ASCII))
    for mark, shape in (
        ("dG9rO", r"dG9rO[A-Za-z0-9+/_]{30,}={0,2}"),  # Intercom
        ("AAAAAAAA", r"A{16,}[\w%]{40,}"),  # Twitter
        ("00D", r"00D[A-Za-z0-9]{12}![\w.]{60,}"),  # Salesforce
        ("access_token$", r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[0-9a-f]{32}"),  # PayPal
    )
)
"""The same for those that have signs in them."""
_JOINTS = re.compile("[_-]")
_TOKEN = re.compile(r"(?<![\w/+.-])[A-Za-z][\w-]{23,}+", re.ASCII)
_TELLING = frozenset(
    "key keys apikey api secret token tok tkn pat sk sec auth live prod priv private cred session sess access refresh "
    "deploy bot pwd pw password oauth oat personal svc service".split()
)
"""Parts of a prefix that say that a secret follows."""
_PUBLISHED = "pk"
"""Begins keys that are made to be seen by everybody."""
_BODY_CHARS = 16
"""Fewest characters of the random part of a token whose prefix says what it is."""
_ANONYMOUS_BODY_CHARS = 32
"""The same where the prefix says nothing; upper and lower case and digits mix in it."""
_FEWEST_DIGITS = 3

_ADDRESS_PASSWORD = re.compile(
    r"://(?:[^\s:/@\[\]?#]{0,128}+:(?!\[|(?i:password|passwd|pass|pwd|secret)@)(?P<value>[^\s/@]{1,256}+)|(?P<token>(?=[\w-]{0,64}?\d)[\w-]{16,}+))(?=@)"
)
_HOOK = re.compile(
    r"(?:hooks\.slack\.com/(?:services|workflows|triggers|commands)/|discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d+/"
    r"|api\.telegram\.org/(?:file/)?bot|webhook\.office\.com/webhookb2/|hooks\.zapier\.com/hooks/catch/"
    r"|maker\.ifttt\.com/trigger/[\w-]{1,64}/(?:json/)?with/key/|outlook\.office\.com/webhook/|hook\.[\w.]{1,20}make\.com/"
    r"|open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/)(?P<value>(?!\[)[^\s\"'<>)\]?]{8,}+)"
)
_HOOK_MARKS = ("hook", "api.telegram.org", "ifttt.com")
_USER_OPTION = re.compile(
    r"-(?<!\S-)(?:u|-user|-proxy-user|U)[ =]?[\"']?[^\s:\"'\[]{1,64}:(?P<value>(?!\[)[^\s\"']{3,}+)"
)
_COMMANDS = ("sshpass", "login", "twine", "mysql", "mariadb", "mongo", "redis-cli", "ldapsearch", "smbclient")
_PASSWORD_OPTION = re.compile(
    rf"(?:{'|'.join(_COMMANDS)})\w{{0,6}}\s(?:[^\n]{{0,100}}?\s)?(?:-p|-a|-w)\s{{0,2}}[\"']?(?P<value>(?![\-\[$<{{])[^\s\"']{{4,}}+)"
)
_PASSWORD_FLAG = re.compile(
    r"--(?<=\s--)(?:[a-z]{1,12}-)?(?:password|passwd|passphrase|pass|pwd|token|secret|api-?key|access-key|secret-key|auth-token)"
    r"(?:=|\s{1,2})[\"']?(?P<value>(?![\-\[$<{])[^\s\"']{4,}+)"
)
_LONG_RUN = re.compile(r"[\w.:~-]{24,}+", re.ASCII)
"""Where tokens may stand that no letters of their own announce."""


def find_issued(piece: Piece) -> Iterator[SecretSpan]:
    """Find what shows by letters or a place of its own: a prefix, an address, an option of a command."""
    text, low = piece
    if "-" in low:
        yield from _values(_USER_OPTION, low, "password")
        yield from _values(_PASSWORD_FLAG, low, "password") if "--" in low else ()
        if any(command in low for command in _COMMANDS):
            yield from _values(_PASSWORD_OPTION, low, "password")
    if "://" in text:
        yield from _values(_ADDRESS_PASSWORD, text, "password")
    if not _LONG.search(text):
        return
    yield from _values(_AUTHORISATION, low, "token") if "bearer" in low or "basic" in low else ()
    yield from _values(_HOOK, low, "token") if any(mark in low for mark in _HOOK_MARKS) else ()
    yield from _whole(_HASH, text, "password") if "$" in text else ()
    for prefix, pattern in _FORMS:
        if prefix in text:
            for found in pattern.finditer(text):
                if prefix == "live_" and text.startswith(_PUBLISHED, found.start() - len(_PUBLISHED) - 1):
                    continue
                rest = _MORE_PARTS.match(text, found.end()) if prefix in _DOTTED else None
                yield SecretSpan(found.start(), rest.end() if rest else found.end(), "api key")
    for mark, shape in _SIGNED_SHAPES:
        yield from _whole(shape, text, "api key") if mark in text else ()
    yield from _whole(_OWN_KEY, text, "api key") if "yy_" in text else ()
    yield from _whole(_JSON_WEB_TOKEN, text, "token") if "eyJ" in text else ()
    yield from _whole(_VENDOR_SECRET, text, "api key") if "Q~" in text else ()


def find_unannounced(piece: Piece) -> Iterator[SecretSpan]:
    """Find tokens that no letters of an issuer announce."""
    for number in _WALLET_NUMBER.finditer(piece.low):
        around = piece.low[max(0, number.start() - _AROUND_CHARS) : number.end() + _AROUND_CHARS]
        if _OF_WALLET.search(around) and not _OF_PAYMENT.search(around):
            yield SecretSpan(number.start(), number.end(), "private key")
    for run in _LONG_RUN.finditer(piece.text):
        for one in _in_run(run[0]):
            yield SecretSpan(run.start() + one.start, run.start() + one.end, one.kind)


def _whole(pattern: re.Pattern[str], text: str, kind: str) -> Iterator[SecretSpan]:
    return (SecretSpan(found.start(), found.end(), kind) for found in pattern.finditer(text))


def _values(pattern: re.Pattern[str], text: str, kind: str) -> Iterator[SecretSpan]:
    """Find what a pattern calls its value, or its token; a number alone is the number of a user or a port."""
    for found in pattern.finditer(text):
        name = found.lastgroup or "value"
        if not found[name].isdigit():
            yield SecretSpan(found.start(name), found.end(name), kind)


def _in_run(run: str) -> Iterator[SecretSpan]:
    """Find tokens that no letters of their own announce, in a long run of letters, digits and a few signs."""
    yield from _whole(_BOT, run, "token") if ":" in run else ()
    if "." in run:
        yield from _whole(_MADE_OF_PARTS, run, "token")
        yield from _whole(_WORKSPACE, run, "api key") if ".atlasv1." in run else ()
    elif "-us" in run:
        yield from _whole(_REGIONAL, run, "api key")
    for mark, shape in _SHAPES:
        yield from _whole(shape, run, "api key") if mark in run else ()
    yield from _whole(_WALLET, run, "private key")
    if "-" in run or "_" in run:
        yield from _prefixed(run)


def _prefixed(text: str) -> Iterator[SecretSpan]:
    """Find tokens whose prefix says that they are secret, or whose long random part leaves no doubt."""
    for token in _TOKEN.finditer(text):
        parts = _JOINTS.split(token[0])
        body = max(parts, key=len)
        digits = sum(map(body.count, "0123456789"))
        if len(parts) < 2 or len(body) < _BODY_CHARS or not _FEWEST_DIGITS <= digits < len(body):
            continue
        before = parts[: parts.index(body)]
        if parts[0] == _PUBLISHED:
            continue
        is_telling = not _TELLING.isdisjoint(part.lower() for part in before)
        is_random = len(body) >= _ANONYMOUS_BODY_CHARS and not body.islower() and not body.isupper()
        if before and (is_telling or (is_random and not before[0].lower().startswith("sha"))):
            yield SecretSpan(token.start(), token.end(), "api key")


# Blocks are as long as they like, so they are looked for in the whole text.

_BLOCK = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_LINES = re.compile(r"Private-Lines: \d{1,3}(?P<value>(?:\s{1,2}[A-Za-z0-9+/=]{16,}+)++)")
_BODY = re.compile(
    r"[^\[\-]*+(?:-(?!----)[^\[\-]*+)*+-----END [A-Z0-9 ]{0,40}-----"  # no "[", or a label could become a body
    r"|(?:(?:\s|\\r|\\n)*+[A-Za-z0-9+/=]{16,}+)++"  # a block that was cut off
)


def find_blocks(text: str) -> Iterator[SecretSpan]:
    """Find blocks that hold a private key."""
    if "-----BEGIN" in text:
        for start in _BLOCK.finditer(text):
            body = _BODY.match(text, start.end())
            if body is not None:
                yield SecretSpan(start.start(), body.end(), "private key")
    if "Private-Lines" in text:
        yield from _values(_LINES, text, "private key")


_REST = re.compile(r"[\w.~+/=-]*+", re.ASCII)


def continue_token(text: str, at: int) -> int:
    """Return where a token ends that goes on at a place."""
    rest = _REST.match(text, at)
    return at if rest is None else rest.end()
