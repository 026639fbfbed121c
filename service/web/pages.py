"""The pages. Each is a shell in the visitor's language; what is at the table comes through the API.

A link to a session carries its token behind `#`, which no browser sends. The page keeps it on the phone and sends it
in `Authorization` headers only, so no address that the service sees, or logs, has a token in it.
"""

from __future__ import annotations

import gzip
import io
import socket
from pathlib import Path
from urllib.parse import urlsplit

import segno
from flask import Blueprint, Response, abort, current_app, jsonify, make_response, render_template, request

from events.house_rules import FEWEST_TO_OPEN, GAMES, MOST_SEATED, default_chip, rules_of
from events.refusals import RECORDABLE
from events.story import LANGUAGES
from service.languages import choose
from service.parts import EXTENSION, Parts
from service.web.assets import Assets
from service.web.languages import COOKIE, OWN_NAMES, read_all

HERE = Path(__file__).parent
SESSION_VIEWS = ("watch", "record", "tv", "replay", "settle", "case")
LONGEST_QR_TEXT = 600
A_YEAR_SECONDS = 365 * 24 * 3600

# Nothing from elsewhere and nothing inline. 'wasm-unsafe-eval' lets the engine's WebAssembly start, and nothing else.
POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)

pages = Blueprint("pages", __name__, template_folder="templates")
ASSETS = Assets(HERE / "static")
WORDS = read_all()


def _catalog() -> dict[str, object]:
    """What the form for a new night draws: each game's house rules, with defaults and limits."""
    games: dict[str, object] = {}
    for game in GAMES:
        games[game] = {
            "fewest": FEWEST_TO_OPEN[game],
            "most": MOST_SEATED[game],
            "chip": default_chip(game),
            "rules": [
                {
                    "name": rule.name,
                    "kind": rule.kind,
                    "default": rule.defaults[game],
                    "values": list(rule.values),
                    "least": rule.least,
                    "most": rule.most,
                    "optional": rule.optional,
                }
                for rule in rules_of(game)
            ],
        }
    return games


def _page(view: str, session: str = "", **more: object) -> Response:
    asked = request.args.get("lang")
    accepted = [code for code, _ in request.accept_languages]
    code = choose(asked, request.cookies.get(COOKIE), accepted)
    words = WORDS[code]
    data: dict[str, object] = {
        "view": view,
        "session": session,
        "language": code,
        "version": ASSETS.version,
        "words": words.texts,
        "secure": request.is_secure,
        "recordable": sorted(RECORDABLE),
        **more,
    }
    answer = make_response(
        render_template(
            "page.html",
            t=words,
            data=data,
            view=view,
            asset=ASSETS.address,
            modules=ASSETS.modules_of("app/main.js", f"app/views/{view}.js"),
            languages=OWN_NAMES,
            code=code,
            path=request.path,
        )
    )
    # never kept as fresh: the addresses in it change with the version. The service worker keeps a copy for no signal.
    answer.headers["Cache-Control"] = "no-cache"
    answer.headers["Vary"] = "Accept-Encoding, Accept-Language, Cookie"
    if asked in LANGUAGES:
        answer.set_cookie(COOKIE, code, max_age=A_YEAR_SECONDS, httponly=True, samesite="Lax", secure=request.is_secure)
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        # the words of a language are most of a page. No secret is in it, so its packed length tells nothing
        answer.set_data(gzip.compress(answer.get_data(), 6, mtime=0))
        answer.headers["Content-Encoding"] = "gzip"
    return answer


@pages.after_request
def guard(answer: Response) -> Response:
    """The headers that every page and file carries."""
    answer.headers["Content-Security-Policy"] = POLICY
    answer.headers["X-Content-Type-Options"] = "nosniff"
    answer.headers["Referrer-Policy"] = "no-referrer"
    answer.headers["Cross-Origin-Opener-Policy"] = "same-origin"
    answer.headers["Permissions-Policy"] = "camera=(), microphone=(), geolocation=()"
    return answer


@pages.get("/")
def start() -> Response:
    """A new night, and the nights that this phone knows."""
    return _page("start", catalog=_catalog(), address=_address_for_phones())


def _address_for_phones() -> str:
    """Where a phone in the same network finds this page; empty where only this machine can reach it.

    Whoever opened the page as 127.0.0.1 is told the address that this machine has in its network.
    """
    parts: Parts | None = current_app.extensions.get(EXTENSION)
    here = urlsplit(request.host_url)
    if here.hostname not in ("localhost", "127.0.0.1", "::1"):
        return request.host_url.rstrip("/")
    if parts is None or parts.settings.loopback_only:
        return ""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address of nobody's: nothing is sent, but the way out is chosen
        except OSError:
            return ""
        own = probe.getsockname()[0]
    return f"{here.scheme}://{own}:{here.port or parts.settings.port}"


@pages.get("/people")
def people() -> Response:
    """People over nights, and the leaderboard."""
    return _page("people")


@pages.get("/verify")
def verify() -> Response:
    """A file of a night, checked in the visitor's own browser."""
    return _page("verify")


@pages.get("/s/<session>")
def watch(session: str) -> Response:
    """One night, for whoever watches."""
    return _page("watch", session)


@pages.get("/s/<session>/<view>")
def session_view(session: str, view: str) -> Response:
    """One night: recorder, large view, replay, the case of a hand, or the end of the night."""
    if view not in SESSION_VIEWS:
        abort(404)
    return _page(view, session)


@pages.post("/qr")
def qr() -> Response:
    """A QR code of the posted text, as SVG. Posted, so that a link with a token is in no address and no log."""
    text = request.get_data(cache=False, as_text=True)
    if not 0 < len(text) <= LONGEST_QR_TEXT:
        abort(413)
    picture = io.BytesIO()
    segno.make(text, error="m", micro=False).save(picture, kind="svg", scale=8, border=2, xmldecl=False)
    return Response(picture.getvalue(), mimetype="image/svg+xml", headers={"Cache-Control": "no-store"})


@pages.get("/static/<version>/<path:name>")
def static_file(version: str, name: str) -> Response:
    """A file of the page. For ever where the version is the present one; an older page gets the present file once."""
    asset = ASSETS.files.get(name)
    if asset is None:
        abort(404)
    packed = asset.gzipped is not None and "gzip" in request.headers.get("Accept-Encoding", "")
    answer = Response(asset.gzipped if packed else asset.body, content_type=asset.media_type)
    answer.headers["Vary"] = "Accept-Encoding"
    if packed:
        answer.headers["Content-Encoding"] = "gzip"
    present = version == ASSETS.version
    answer.headers["Cache-Control"] = f"public, max-age={A_YEAR_SECONDS}, immutable" if present else "no-cache"
    return answer


@pages.get("/sw.js")
def service_worker() -> Response:
    """The service worker, at the root so that it may look after every page."""
    head = f"const VERSION = {ASSETS.version!r};\n"
    body = head.encode() + (HERE / "static" / "app" / "sw.js").read_bytes()
    return Response(body, content_type="text/javascript; charset=utf-8", headers={"Cache-Control": "no-cache"})


@pages.get("/offline.json")
def offline_list() -> Response:
    """What the service worker keeps."""
    answer = jsonify({"version": ASSETS.version, "files": ASSETS.kept_offline()})
    answer.headers["Cache-Control"] = "no-cache"
    return answer


@pages.get("/app.webmanifest")
def manifest() -> Response:
    """So that the recorder can be put on the phone's first screen."""
    answer = jsonify(
        {
            "name": "Bragbook",
            "short_name": "Bragbook",
            "start_url": "/",
            "display": "standalone",
            "background_color": "#14110d",
            "theme_color": "#14110d",
            "icons": [
                {"src": ASSETS.address("icon.svg"), "sizes": "any", "type": "image/svg+xml", "purpose": "any maskable"}
            ],
        }
    )
    answer.mimetype = "application/manifest+json"
    return answer
