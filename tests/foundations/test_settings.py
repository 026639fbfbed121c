"""What the environment can set, and that each of it is documented."""

from pathlib import Path

import pytest

from service.settings import VARIABLES, SettingFault, Settings, default_data

DOCUMENT = Path(__file__).resolve().parent.parent.parent / "docs" / "settings.md"


def test_every_setting_is_documented():
    documented = {line.split("`")[1] for line in DOCUMENT.read_text().splitlines() if line.startswith("| `")}
    assert set(VARIABLES) <= documented


def test_the_data_folder_is_the_users_own():
    assert default_data({"HOME": "/home/ann"}, is_root=False) == Path("/home/ann/.local/share/bragbook")
    assert default_data({"HOME": "/home/ann", "XDG_DATA_HOME": "/data"}, is_root=False) == Path("/data/bragbook")
    assert default_data({"HOME": "/home/ann", "XDG_DATA_HOME": "data"}, is_root=False) == Path(
        "/home/ann/.local/share/bragbook"
    )
    assert default_data({"HOME": "/root", "XDG_DATA_HOME": "/data"}, is_root=True) == Path("/var/lib/bragbook")


def test_the_command_line_goes_before_the_environment():
    environment = {"BRAGBOOK_DATA": "/one", "HOME": "/home/ann"}
    assert Settings.from_environment(environment).data == Path("/one")
    assert Settings.from_environment(environment, data="/two").data == Path("/two")
    assert Settings.from_environment({"HOME": "/home/ann"}, data="here").data == Path.cwd() / "here"


def test_an_empty_database_url_is_none():
    settings = Settings.from_environment({"DATABASE_URL": " ", "HOME": "/home/ann"})
    assert settings.database_url is None
    assert settings.database_read_url is None


@pytest.mark.parametrize("name", ["DATABASE_URL", "DATABASE_READ_URL"])
def test_a_database_url_that_is_none_is_refused_without_its_password(name: str):
    with pytest.raises(SettingFault, match=name) as caught:
        Settings.from_environment({name: "postgresql://ann:s3cret@:x:y/%zz", "HOME": "/home/ann"})
    assert "s3cret" not in str(caught.value)
    good = "postgresql://ann:s3cret@localhost/bragbook"
    assert good in (
        Settings.from_environment({name: good, "HOME": "/h"}).database_url,
        Settings.from_environment({name: good, "HOME": "/h"}).database_read_url,
    )
