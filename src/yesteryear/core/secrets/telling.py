"""The words by which people call secrets, in text that was folded and is in lower case."""

from __future__ import annotations

import re
from typing import NamedTuple

from yesteryear.core.secrets.folded import fold

_NAMES_ABROAD = sorted(
    (
        fold(name).text.lower().replace("_", " ")
        for name in """
        contraseña contrasenya clave_de clave_del clave_wifi kennwort mot_de_passe mdp senha palavra-passe palavra_passe
        parola wachtwoord lösenord adgangskode kodeord passord passwort salasana hasło heslo jelszó lozinka
        geslo şifre parolă slaptažodis пароль пароля паролем κωδικός_πρόσβασης パスワード
        暗証番号 密码 密碼 口令 비밀번호 암호
        كلمة_المرور كلمة_السر סיסמה पासवर्ड kata_sandi mật_khẩu รหัสผ่าน pasahitza
        """.split()
    ),
    key=len,
    reverse=True,
)
"""What a password is called in other languages, longer names first."""
_ABROAD = re.compile(
    rf"(?:{'|'.join(re.escape(name).replace(chr(92) + ' ', chr(92) + 's') for name in _NAMES_ABROAD)})[a-z]{{0,4}}"
)
_ABROAD_MARKS = tuple({name[:5] for name in _NAMES_ABROAD if name.isascii() and not name.startswith("pass")})
_NUMBER_MARKS = ("pin", "code", "kod", "clave", "puk", "cvv", "cvc", "otp", "tan", "comb", "cod", "geheim")
_PASSWORD = re.compile(
    r"p(?:ass?(?:word|wrod|owrd|wd)|ass(?:phrase)?|word|wd?|sw)(?![a-z])"
    r"|(?:master|recovery|vault|wallet|backup)[\s-]?phrase(?![a-z])|(?:losen|pass)fras(?:en)?(?![a-z])|wachtzin(?![a-z])"
)
_WIRELESS_KEY = re.compile(
    r"(?:wi-?fi|wlan|wpa[23]?|network|netzwerk|netz|internet|router|hotspot|box|repeater|sicherheits)[\s-]{0,3}"
    r"(?:key|schlussel|sleutel|nyckel|kennwort)(?![a-z])"
    r"|(?:cle|clave|chiave|chave|klucz|sleutel|nyckel)\s(?:(?:de|du|del|do|da|della|dello|di|van|till|la|el|le|het"
    r"|sieci|securite"
    r"|seguridad|sicurezza)\s){0,4}(?:d'|l')?(?:wi-?fi|wlan|wpa[23]?|wep|red|rete|rede|reseau|box|router|modem"
    r"|livebox|freebox|internet"
    r"|acces|acceso|accesso)(?![a-z])"
)
_KEY_ABROAD = re.compile(r"(?<![a-z])(?:schlussel|sleutel|nyckeln?|clave|chiave|chave|klucz|anahtar)(?![a-z])")
_WIRELESS = ("wlan", "wifi", "wi-fi", "wpa", "router")
_WIRELESS_MARKS = ("key", "schlussel", "sleutel", "nyckel", "cle ", "clave", "chiave", "chave", "klucz", "kennwort")
_PASSWORD_MARKS = ("pas", "pw", "psw", "phrase", "fras", "zin")
_OF_SHORT_ONES = frozenset({"pass", "pw", "psw", "pword"})
_NUMBER = re.compile(
    r"(?:pin(?:-?(?:codes?|kode?)|(?:\s(?:code|number|no\.?)))?|pass\s?codes?"
    r"|code\s(?:(?:de|du|pour)\s(?:la\s|le\s|l')?(?:porte|carte|alarme|portail|garage|coffre|immeuble|hall"
    r"|interphone|boite\sa\scles|portillon"
    r"|telephone|cadenas)|(?:de\s)?[dl]'(?:entree|acces|alarme|immeuble|interphone|ascenseur|appartement))|digicode"
    r"|(?:haus|wohnungs|keller|garagen|vorder|hinter)?(?:tur|tor|zugangs|zutritts|alarm|haus|eingangs|sicherheits"
    r"|freischalt|entsperr|tresor|safe"
    r"|schloss|schliessfach|schlusseltresor|aktivierungs|garagen|zugriffs|kluis|deur|poort|toegangs|voordeur|port"
    r"|dorr|larm|dor|adgangs)-?(?:code|kode?)"
    r"|(?:code|kod)\s(?:van|voor|till|til|do)\s(?:de\s|het\s)?(?:deur|voordeur|poort|kluis|alarm|garage|porten"
    r"|dorren|larmet|domofonu|drzwi|bramy"
    r"|alarmu|sejfu|klatki|furtki)|kod\spin"
    r"|cod(?:igo|ice)\s(?:de\s|di\s|da\s|do\s|del\s|dell'|della\s)?(?:la\s|el\s|l')?(?:puerta|portal|acceso"
    r"|alarma|entrada|garaje|caja\sfuerte|porta"
    r"|portao|portone|cancello|accesso|allarme|alarme|cassaforte|ingresso|acesso|cofre|garagem|pin|predio|edificio)"
    r"|clave\s(?:de\s|del\s)(?:la\s)?(?:puerta|portal|alarma|garaje|caja\sfuerte|tarjeta)"
    r"|geheimzahl|codes?|puk|cvv2?|cvc2?|otp|tan|combination|combo)(?![a-z])"
)
_CODES = frozenset(
    """
    door gate entry access alarm security lock unlock garage keypad safe building lockbox house home apartment flat
    verification login log-in signin sign-in auth authentication authenticator recovery backup reset one-time 2fa mfa
    two-factor otp sms voicemail gym locker elevator lift intercom buzzer parental sim puk pin pass entrance garden shed
    bike padlock vault activation enter dial cellar basement lobby front back side backdoor porch driveway suitcase
    mailbox postbox keybox cabin airbnb storage shutter barrier panel deadbolt
    """.split()
)
"""What opens by a code."""
_OF_ANYTHING = frozenset({"code", "codes", "combination", "combo"})
_BEFORE = re.compile(r"([a-z\d-]+)(?:'s)?\s\Z")
_BEHIND = re.compile(r"\s(?:for|to|of)\s(?:(?:the|my|our|his|her|their|a)\s)?([a-z']+)(?:\s([a-z]+))?")
_OPENED = _CODES | {"github", "google", "account", "phone", "tablet", "office", "front", "back"}
_BEFORE_CHARS = 24
_KEY = re.compile(r"(?:key(?:[ _-]?id)?|token|secret)(?![a-z])")
_KEY_OF = re.compile(
    r"(?:api|secret|access|private|account|signing|shared|encryption|auth|master|service|licen[cs]e|product"
    r"|activation|pre-?\s?shared|recovery|encryption|admin|storage|webhook|secure)"
    r"[ _-]?(?:access[ _-]?)?\Z"
)
_KEY_BEFORE_CHARS = 20


class Label(NamedTuple):
    """The name of a secret in a text, half-open."""

    start: int
    end: int
    is_sure: bool = True
    """Whether the word names nothing else."""
    is_english: bool = True


def password_labels(low: str) -> list[Label]:
    """Return where passwords are named, in order."""
    found: list[Label] = []
    if _holds(low, _WIRELESS_MARKS):
        found = [Label(one.start(), one.end()) for one in _WIRELESS_KEY.finditer(low)]
        if not found and _holds(low, _WIRELESS):
            found = [
                Label(one.start(), one.end(), is_sure=False, is_english=False) for one in _KEY_ABROAD.finditer(low)
            ]
    if _holds(low, _PASSWORD_MARKS):
        for one in _PASSWORD.finditer(low):
            is_sure = one[0] not in _OF_SHORT_ONES
            if is_sure or not _is_word(low[one.start() - 1 : one.start()]):
                found.append(Label(one.start(), one.end(), is_sure))
    if "pass" in low or not low.isascii() or _holds(low, _ABROAD_MARKS):
        found += [
            Label(one.start(), one.end(), is_english=False)
            for one in _ABROAD.finditer(low)
            if not (one[0].isascii() and _is_word(low[one.start() - 1 : one.start()]))
        ]
    return sorted(found) if len(found) > 1 else found


def _holds(low: str, marks: tuple[str, ...]) -> bool:
    for mark in marks:  # noqa: SIM110 - a generator takes longer than what it looks for
        if mark in low:
            return True
    return False


def number_labels(low: str) -> list[Label]:
    """Return where codes of digits are named."""
    if not _holds(low, _NUMBER_MARKS):
        return []
    return [Label(one.start(), one.end()) for one in _NUMBER.finditer(low) if _names_number(low, one)]


def _names_number(low: str, one: re.Match[str]) -> bool:
    before = low[one.start() - 1 : one.start()]
    if _is_word(before) or before == "-":
        return False
    if one[0] not in _OF_ANYTHING:
        return True
    owner = _BEFORE.search(low, max(0, one.start() - _BEFORE_CHARS), one.start())
    behind = _BEHIND.match(low, one.end())
    return (owner is not None and owner[1] in _CODES) or (
        behind is not None and not _OPENED.isdisjoint(behind.groups())
    )


def key_labels(low: str) -> list[Label]:
    """Return where keys are named."""
    if not ("key" in low or "token" in low or "secret" in low):
        return []
    found = []
    for one in _KEY.finditer(low):
        is_sure = not one[0].startswith("key") or bool(
            _KEY_OF.search(low, max(0, one.start() - _KEY_BEFORE_CHARS), one.start())
        )
        if is_sure or not low[one.start() - 1 : one.start()].isalpha():
            found.append(Label(one.start(), one.end(), is_sure))
    return found


def _is_word(char: str) -> bool:
    return char.isalnum()


LOGIN = re.compile(r"(?:(?:log|sign)(?:-|\s)?ins?|credentials|creds)(?![a-z])")
LOGIN_MARKS = ("login", "log-in", "log in", "sign", "cred")
ABOUT = re.compile(
    r"[\s-]+(?:manager|reset|field|polic|hint|generator|rule|requirement|protection|vault|app\b|strength|checker"
    r"|prompt|box"
    r"|form|page|change|recovery|length|expir|history|screen|dialog|input|option|setting|hash|list|book|file"
    r"|sharing|less)"
)
"""What makes the name of a secret the name of another thing: a password manager is none."""
