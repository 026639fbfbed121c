"""Sessions as the API and the command line use them: opened, recorded in, read, named, watched, checked.

What the rules forbid is raised as `Refused`, a database that cannot answer as `Unavailable`.
"""

from service.sessions.appending import Appended
from service.sessions.checking import Verified
from service.sessions.facade import Made, Opened, Sessions
from service.sessions.importing import Imported
from service.store.faults import StoreFault, Unavailable
from service.store.log import Stored
from service.store.tokens import Known

__all__ = [
    "Appended",
    "Imported",
    "Known",
    "Made",
    "Opened",
    "Sessions",
    "StoreFault",
    "Stored",
    "Unavailable",
    "Verified",
]
