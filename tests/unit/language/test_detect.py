import errno
import subprocess
import sys
import tempfile

import pytest

from hmem.language import detect
from hmem.language.detect import in_foreign_script, is_plain_english, language


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Ich habe gestern mein altes Auto an meinen Nachbarn verkauft.", "de"),
        ("Nous avons acheté une petite maison près de la mer.", "fr"),
        ("Mi hermana trabaja como enfermera en un hospital de Madrid.", "es"),
        ("Mia sorella lavora come infermiera in un ospedale di Milano.", "it"),
        ("Minha irmã trabalha como enfermeira num hospital em Lisboa.", "pt"),
        ("Mijn zus werkt als verpleegkundige in een ziekenhuis.", "nl"),
        ("Moja siostra pracuje jako pielęgniarka w szpitalu.", "pl"),
        ("Моя сестра работает медсестрой в больнице.", "ru"),
        ("私の妹は病院で働いています", "ja"),
        ("我妹妹在医院工作", "zh"),
    ],
)
def test_the_language_of_a_message_is_found(text: str, code: str) -> None:
    assert language(text) == code


@pytest.mark.parametrize(
    "text",
    [
        "Wolfgang and Anneliese Schäfer adopted a dachshund",
        "gonna grab some pho w/ Nguyen and Thuy tonight",
        "npm install keeps failing with ERESOLVE",
        "idk tbh, prob gonna skip the gym 2day",
        "Cats: Miso, Mochi and Nori.",
        "i live in quadrille now",
        "Oui oui, very fancy, he wore a beret lol",
        "😀😀😀",
        "",
        "12:30",
    ],
)
def test_english_with_names_slang_and_typos_is_english(text: str) -> None:
    assert language(text) == "en"


def test_a_short_text_is_in_the_language_of_its_conversation() -> None:
    german = ["Wann kommst du denn morgen nach Hause?", "Ich glaube, so gegen sieben Uhr abends."]
    assert language("ok, super") == "en"
    assert language("ok, super", german) == "de"
    assert language("ok, super", ["When are you coming home tomorrow, and with whom?"]) == "en"


def test_several_short_texts_tell_a_language_together() -> None:
    assert language("bis dann", ["ja genau", "mach ich gleich", "nicht vergessen"]) == "de"


def test_english_in_a_conversation_in_another_language_is_english() -> None:
    assert language("I moved to Rome last week with my sister.", ["Wo wohnst du denn jetzt eigentlich?"]) == "en"


def test_a_short_text_in_another_script_needs_no_conversation() -> None:
    assert language("Привет!") != "en"
    assert in_foreign_script("犬です")
    assert not in_foreign_script("π is 3.14")


def test_addresses_and_accounts_say_nothing_about_a_language() -> None:
    assert language("https://www.zeitung.de/nachrichten/wetter-in-deutschland @hans_mueller") == "en"


def test_function_words_show_plain_english_without_the_detector() -> None:
    assert is_plain_english("My sister and I moved to Rome with the dogs")
    assert not is_plain_english("Ich habe 'The Lord of the Rings' gelesen, und zwar auf Deutsch, im Urlaub, am See")
    script = (
        "import sys; from hmem.language.detect import language;"
        "language('My sister and I moved to Rome with the dogs'); assert 'py3langid' not in sys.modules;"
        "language('Ich habe gestern mein Auto verkauft'); assert 'py3langid' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_languages_are_told_the_same_without_room_for_temporary_files(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "Ich habe vorgestern mein sehr altes Fahrrad an den Nachbarn verkauft."
    detect._score_languages.cache_clear()
    usual = detect._score_languages(text)

    def full(*_arguments: object, **_options: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    detect._detector.cache_clear()
    detect._score_languages.cache_clear()
    assert detect._score_languages(text) == usual
    assert language(text) == "de"
