"""What verbs give back and are given, for annotations and comparisons, beside the names in ``yesteryear`` itself."""

from yesteryear.consolidate.belief.queries import ChangeFeed, ConflictView, FactsDiff, PersonView
from yesteryear.consolidate.retention.sweep import Faded
from yesteryear.core.episode import Digest, EpisodeStatus, UserState
from yesteryear.core.erasure import Erasure
from yesteryear.core.fact import FactDraft
from yesteryear.core.measurement import Manner, Measurement, Nature
from yesteryear.core.message import Conversation, Outcome, Reason, Verdict
from yesteryear.core.night_report import CycleReport, CycleState, FactChange
from yesteryear.core.relation import Basis, Relation
from yesteryear.core.ruling import Judgement, PairVerdict
from yesteryear.core.usage import UsageSum
from yesteryear.forget.forget import Forgotten
from yesteryear.forget.propose import Proposal
from yesteryear.forget.seal import TakenBack
from yesteryear.lifecycle.drain import Drained
from yesteryear.lifecycle.reread import Rereading
from yesteryear.measure.metrics import Bucket, CorrelationView, GroupedBy, SeriesName, SeriesView
from yesteryear.measure.series import ToldAim, Uncounted
from yesteryear.measure.statistics import ChangePoint, Trend
from yesteryear.recall.context import ContextItem, Dropped
from yesteryear.recall.prefix import PrefixChanges
from yesteryear.recall.retrieve import Reading, Recalled
from yesteryear.relate.inference import GraphQuestion
from yesteryear.relate.views import EdgeView, GraphAnswer, GraphEnd, GraphNode, GraphView
from yesteryear.transfer.export import Exported
from yesteryear.transfer.import_export import Imported

__all__ = ["Conversation", "Digest", "Drained", "EpisodeStatus", "Judgement", "Outcome", "PairVerdict", "Reason"]
__all__ += ["Rereading", "UsageSum", "UserState", "Verdict"]
__all__ += ["ChangeFeed", "ConflictView", "FactChange", "FactDraft", "FactsDiff", "PersonView"]
__all__ += ["CycleReport", "CycleState", "Faded"]
__all__ += ["Bucket", "ChangePoint", "CorrelationView", "GroupedBy", "Manner", "Measurement", "Nature", "SeriesName"]
__all__ += ["SeriesView", "ToldAim", "Trend", "Uncounted"]
__all__ += ["Basis", "EdgeView", "GraphAnswer", "GraphEnd", "GraphNode", "GraphQuestion", "GraphView", "Relation"]
__all__ += ["ContextItem", "Dropped", "PrefixChanges", "Reading", "Recalled"]
__all__ += ["Erasure", "Exported", "Forgotten", "Imported", "Proposal", "TakenBack"]
