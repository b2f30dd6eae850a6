"""Whether a text is written in a language: verified against the asked one, not identified.

The script decides first: a Korean answer is not written in Latin letters. Languages that share a
script are told apart passage by passage with py3langid, restricted to the asked language and its
rivals. Identifying freely goes wrong: identifiers call Chinese `wuu` and Marathi `gom`, give the
majority where a frame in another language stands around the text, and guess on two words.

py3langid is imported with the first text that needs it (its model takes two seconds to load). It
is deterministic and brings its model along.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any

import regex

from ifbench.parsing.fences import fences_in
from ifbench.parsing.keywords import keyword_places
from ifbench.parsing.visible_text import visible_text

SCRIPT_SHARE = 0.9
"""Letters that stand in the language's scripts, at least."""
FOREIGN_SHARE = 0.15
"""Words in passages that are surely of another language, below this."""
FOREIGN_WORDS = 5
"""A passage of so many words that is surely of another language breaks the rule alone."""
SURE = 0.99
"""Probability, among the rivals, from which a passage counts as another language's."""
FEW_WORDS = 4
MAX_LETTERS = 60_000
"""Letters that are looked at; the first ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """A language that can be asked for."""

    code: str
    scripts: tuple[str, ...]
    names: tuple[str, ...] = ()
    kin: tuple[str, ...] = ()
    """What an identifier may call it without being wrong enough to fail anyone."""
    words: str = ""
    """A few short words, for answers of a word or two."""


def _latin(code: str, names: str, kin: str = "", words: str = "") -> Language:
    return _language(code, "Latin", names, kin, words)


def _language(code: str, scripts: str, names: str, kin: str = "", words: str = "") -> Language:
    return Language(
        code=code,
        scripts=tuple(scripts.split()),
        names=tuple(names.split("|")),
        kin=tuple(kin.split()),
        words=words,
    )


LANGUAGES: Mapping[str, Language] = MappingProxyType(
    {
        language.code: language
        for language in (
            _latin("en", "English|英语|英文", "pcm", "yes no unknown true false none the a"),
            _latin("es", "Spanish|西班牙语|Español", "gl ca ext an", "sí si no verdadero falso"),
            _latin("fr", "French|法语|Français", "wa oc gcr gcf", "oui non vrai faux"),
            _latin("de", "German|德语|Deutsch", "lb", "ja nein wahr falsch"),
            _latin("it", "Italian|意大利语|Italiano", "lij vec", "sì si no vero falso"),
            _latin("pt", "Portuguese|葡萄牙语|Português", "gl", "sim não nao verdadeiro falso"),
            _latin("nl", "Dutch|荷兰语|Nederlands", "af fy", "ja nee waar onwaar"),
            _latin("sv", "Swedish|瑞典语|Svenska", "no nn da", "ja nej sant falskt"),
            _latin("da", "Danish|丹麦语|Dansk", "no nn sv fo", "ja nej sandt falsk"),
            _latin("no", "Norwegian|挪威语|Norsk|Bokmål", "nn da sv", "ja nei sant"),
            _latin("fi", "Finnish|芬兰语|Suomi", "", "kyllä ei"),
            _latin("pl", "Polish|波兰语|Polski", "", "tak nie prawda fałsz"),
            _latin("cs", "Czech|捷克语|Čeština", "sk", "ano ne pravda"),
            _latin("sk", "Slovak|斯洛伐克语", "cs", "áno nie"),
            _latin("ro", "Romanian|罗马尼亚语|Română", "", "da nu adevărat fals"),
            _latin("hu", "Hungarian|匈牙利语|Magyar", "", "igen nem"),
            _latin("tr", "Turkish|土耳其语|Türkçe", "az tk crh", "evet hayır"),
            _latin("id", "Indonesian|印尼语|印度尼西亚语|Bahasa Indonesia", "ms jv", "ya tidak"),
            _latin("ms", "Malay|马来语|Bahasa Melayu", "id jv", "ya tidak"),
            _latin("vi", "Vietnamese|越南语|Tiếng Việt", "", "có không đúng sai"),
            _latin("sw", "Swahili|斯瓦希里语", "", "ndiyo hapana"),
            _latin("tl", "Tagalog|Filipino|菲律宾语", "bcl", "oo hindi"),
            _latin("ca", "Catalan|加泰罗尼亚语", "es oc", "sí no"),
            _latin("la", "Latin|拉丁语", "", "ita non"),
            _language("ru", "Cyrillic", "Russian|俄语|俄文|Русский", "uk bg mk be sr", "да нет"),
            _language("uk", "Cyrillic", "Ukrainian|乌克兰语", "ru be", "так ні"),
            _language("bg", "Cyrillic", "Bulgarian|保加利亚语", "mk ru", "да не"),
            _language("sr", "Cyrillic Latin", "Serbian|塞尔维亚语", "hr bs mk", "да не da ne"),
            _latin("hr", "Croatian|克罗地亚语", "sr bs", "da ne"),
            _language("el", "Greek", "Greek|希腊语"),
            _language("he", "Hebrew", "Hebrew|希伯来语"),
            _language("ar", "Arabic", "Arabic|阿拉伯语|阿拉伯文", "ary arz", "نعم لا"),
            _language("fa", "Arabic", "Persian|Farsi|波斯语", "", "بله نه"),
            _language("ur", "Arabic", "Urdu|乌尔都语", "", "ہاں نہیں"),
            _language("hi", "Devanagari", "Hindi|印地语", "mr ne sa gom", "हाँ नहीं"),
            _language("mr", "Devanagari", "Marathi|马拉地语", "hi ne gom sa"),
            _language("ne", "Devanagari", "Nepali|尼泊尔语", "hi mr sa"),
            _language("bn", "Bengali", "Bengali|孟加拉语"),
            _language("ta", "Tamil", "Tamil|泰米尔语"),
            _language("te", "Telugu", "Telugu|泰卢固语"),
            _language("kn", "Kannada", "Kannada|卡纳达语"),
            _language("ml", "Malayalam", "Malayalam|马拉雅拉姆语"),
            _language("gu", "Gujarati", "Gujarati|古吉拉特语"),
            _language("pa", "Gurmukhi", "Punjabi|旁遮普语"),
            _language("th", "Thai", "Thai|泰语|泰文"),
            _language("ka", "Georgian", "Georgian|格鲁吉亚语"),
            _language("hy", "Armenian", "Armenian|亚美尼亚语"),
            _language("ko", "Hangul Han", "Korean|韩语|韩文|朝鲜语|한국어"),
            _language("ja", "Hiragana Katakana Han", "Japanese|日语|日文|日本語"),
            _language("zh", "Han Bopomofo", "Chinese|Mandarin|中文|汉语|漢語|中国语"),
            _language("zh-hans", "Han", "Simplified Chinese|简体中文|简体字|简体"),
            _language("zh-hant", "Han", "Traditional Chinese|繁体中文|繁體中文|繁体|繁體"),
        )
    }
)
"""The languages that can be verified, by code."""

_RIVALS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Latin": (
            "en", "es", "fr", "de", "it", "pt", "nl", "sv", "da", "no", "fi", "pl", "cs", "ro",
            "hu", "tr", "id", "vi", "sw", "tl", "ca",
        ),
        "Cyrillic": ("ru", "uk", "bg", "sr"),
        "Arabic": ("ar", "fa", "ur"),
        "Devanagari": ("hi", "mr", "ne"),
    }
)  # fmt: skip

_SIMPLIFIED = (
    "这个们来说时国学会对发过还进没从后开关见门问间车东马鱼鸟长张风飞书写电视现实点话语请让认识谁"
    "读课题页须头颜顺应该么样边运动员红绿蓝黄银钱铁钟镜钮桌椅楼层画图団园圆场块坏声处备复够妇妈儿"
    "岁带帮师广庆废异当录忆怀态总恋战戏扑执扩扫扬换损摄断无旧显晓术机杀杂权条极构枪标树桥梦检"
    "欢汉汤沟泪洁浅测济浓温湾湿满灯灵灾炉热爱犹独狱猫环疗盖盘监种积称稳穷笔简类纪约级纯纸纹线练组细终绍经结给"
)
_TRADITIONAL = (
    "這個們來說時國學會對發過還進沒從後開關見門問間車東馬魚鳥長張風飛書寫電視現實點話語請讓認識誰"
    "讀課題頁須頭顏順應該麼樣邊運動員紅綠藍黃銀錢鐵鐘鏡鈕桌椅樓層畫圖團園圓場塊壞聲處備復夠婦媽兒"
    "歲帶幫師廣慶廢異當錄憶懷態總戀戰戲撲執擴掃揚換損攝斷無舊顯曉術機殺雜權條極構槍標樹橋夢檢"
    "歡漢湯溝淚潔淺測濟濃溫灣濕滿燈靈災爐熱愛猶獨獄貓環療蓋盤監種積稱穩窮筆簡類紀約級純紙紋線練組細終紹經結給"
)
_ONLY_SIMPLIFIED = frozenset(_SIMPLIFIED) - frozenset(_TRADITIONAL)
_ONLY_TRADITIONAL = frozenset(_TRADITIONAL) - frozenset(_SIMPLIFIED)


def language_code(name: str) -> str | None:
    """The code for a name ("Spanish", "西班牙语") or a code; `None` for one that is not known."""
    wanted = name.strip().casefold()
    if wanted in LANGUAGES:
        return wanted
    return _codes_by_name().get(wanted)


@cache
def _codes_by_name() -> Mapping[str, str]:
    return {
        name.casefold(): language.code
        for language in LANGUAGES.values()
        for name in language.names
        if name
    }


# ── Verifying ────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageReading:
    """What was found, in words, and whether so little text was there that it says little."""

    is_in: bool
    reason: str
    is_sure: bool = True
    shares: Mapping[str, float]
    """Share of the words (or letters) by language code, `other` for the rest."""
    passage: str = ""
    """The passage that broke the rule, as a reader sees it."""


def verify_language(
    text: str, languages: Sequence[str], allow_terms: Sequence[str] = ()
) -> LanguageReading:
    """Whether the words of a text are in the asked language, or in each language of a pair.

    Code, addresses, numbers and the allowed terms are left out. Raises KeyError for a code that
    `LANGUAGES` does not hold.
    """
    words = _words_to_read(text, tuple(allow_terms))
    letters = sum(map(str.isalpha, words))
    if letters == 0:
        return LanguageReading(is_in=False, reason="the answer holds no words", shares={})
    if len(languages) > 1:
        return _verify_pair(words, [LANGUAGES[code] for code in languages])
    return _verify_one(words, LANGUAGES[languages[0]])


def _verify_one(words: str, language: Language) -> LanguageReading:
    share = script_share(words, language.scripts)
    shares = {language.code: round(share, 3), "other": round(1 - share, 3)}
    if share < SCRIPT_SHARE:
        reason = f"{share:.0%} of the letters are of the script of {language.names[0]}"
        return LanguageReading(is_in=False, reason=reason, shares=shares)
    if reason := _wrong_characters(words, language):
        return LanguageReading(is_in=False, reason=reason, shares=shares)
    passages = list(_passages(words))
    if sum(map(_word_count, passages)) < FEW_WORDS:
        return _few_words(words, language, shares)
    foreign = 0
    for passage in passages:
        if _other_script(passage, language) or _other_language(passage, language):
            count = _word_count(passage)
            foreign += count
            if count >= FOREIGN_WORDS:
                reason = f"a passage of {count} words is not in {language.names[0]}"
                return LanguageReading(is_in=False, reason=reason, shares=shares, passage=passage)
    share = foreign / max(sum(map(_word_count, passages)), 1)
    shares = {language.code: round(1 - share, 3), "other": round(share, 3)}
    if share >= FOREIGN_SHARE:
        reason = f"{share:.0%} of the words are not in {language.names[0]}"
        return LanguageReading(is_in=False, reason=reason, shares=shares)
    return LanguageReading(
        is_in=True, reason=f"the answer is in {language.names[0]}", shares=shares
    )


def _few_words(words: str, language: Language, shares: Mapping[str, float]) -> LanguageReading:
    """A word or two: its list of words, or another's; else the script has to do."""
    tokens = frozenset(re.findall(r"[^\W\d_]+", words.casefold()))
    own = tokens & frozenset(language.words.split())
    if not own:
        for other in LANGUAGES.values():
            if other.code != language.code and tokens and tokens <= frozenset(other.words.split()):
                reason = f"so few words, and they are {other.names[0]}"
                return LanguageReading(is_in=False, reason=reason, is_sure=False, shares=shares)
    reason = f"so few words can be {language.names[0]}"
    return LanguageReading(is_in=True, reason=reason, is_sure=bool(own), shares=shares)


PAIR_SHARE = 0.2
"""Each language of a bilingual answer holds so much of its words, at least."""


def _verify_pair(words: str, languages: Sequence[Language]) -> LanguageReading:
    counts = dict.fromkeys([language.code for language in languages], 0)
    other = 0
    for passage in _passages(words):
        for piece, count in _pieces_by_script(passage):
            fitting = [one for one in languages if script_share(piece, one.scripts) >= SCRIPT_SHARE]
            closest = _closest(piece, fitting) if len(fitting) > 1 else next(iter(fitting), None)
            if closest is None or (count >= FOREIGN_WORDS and _other_language(piece, closest)):
                other += count
            else:
                counts[closest.code] += count
    total = max(sum(counts.values()) + other, 1)
    shares = {code: round(count / total, 3) for code, count in counts.items()}
    shares["other"] = round(other / total, 3)
    missing = [one.names[0] for one in languages if shares[one.code] < PAIR_SHARE]
    if missing:
        reason = f"too little of the answer is in {' and in '.join(missing)}"
        return LanguageReading(is_in=False, reason=reason, shares=shares)
    if shares["other"] >= FOREIGN_SHARE:
        reason = f"{shares['other']:.0%} of the words are in neither language"
        return LanguageReading(is_in=False, reason=reason, shares=shares)
    names = " and in ".join(one.names[0] for one in languages)
    return LanguageReading(is_in=True, reason=f"the answer is in {names}", shares=shares)


# ── Scripts ──────────────────────────────────────────────────────────────────────────


def script_share(words: str, scripts: Sequence[str]) -> float:
    """Share of the letters that belong to one of the scripts."""
    letters = sum(map(str.isalpha, words))
    return len(_of_scripts(tuple(scripts)).findall(words)) / letters if letters else 0.0


@lru_cache(maxsize=128)
def _of_scripts(scripts: tuple[str, ...]) -> regex.Pattern[str]:
    inside = "".join(rf"\p{{Script={script}}}" for script in scripts)
    return regex.compile(rf"[[{inside}ー々]&&\p{{L}}]", regex.VERSION1)


def _wrong_characters(words: str, language: Language) -> str:
    """What the script's share cannot tell: Kana, and simplified or traditional characters."""
    if language.code == "ja":
        kana = len(regex.findall(r"[\p{Hiragana}\p{Katakana}]", words))
        if kana == 0 and len(words) > 12:
            return "not one Kana stands in it: it is no Japanese"
    if language.code in {"zh", "zh-hans", "zh-hant"}:
        kana = len(regex.findall(r"[\p{Hiragana}\p{Katakana}]", words))
        if kana > 0.05 * len(words):
            return "Kana stand in it: it is Japanese"
    wrong = {"zh-hans": _ONLY_TRADITIONAL, "zh-hant": _ONLY_SIMPLIFIED}.get(language.code)
    right = {"zh-hans": _ONLY_SIMPLIFIED, "zh-hant": _ONLY_TRADITIONAL}.get(language.code)
    if wrong is not None and right is not None:
        bad, good = (sum(c in table for c in words) for table in (wrong, right))
        if bad > 0.1 * (bad + good):
            kind = "traditional" if language.code == "zh-hans" else "simplified"
            return f"{bad} {kind} characters stand in it"
    return ""


def _other_script(passage: str, language: Language) -> bool:
    return script_share(passage, language.scripts) < 0.5


def _pieces_by_script(passage: str) -> Iterator[tuple[str, int]]:
    """The parts of a passage that are in one kind of script, with their numbers of words."""
    for match in regex.finditer(
        r"(?:[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}][^\p{Latin}\p{Cyrillic}\p{Arabic}\n]*+)"
        r"|(?:[\p{L}--[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]]"
        r"[^\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\n]*+)",
        passage,
        regex.VERSION1,
    ):
        yield match[0], _word_count(match[0])


# ── Languages of one script ──────────────────────────────────────────────────────────


def _other_language(passage: str, language: Language) -> bool:
    """Whether a passage is surely of a rival. A name or two proves nothing."""
    if _word_count(passage) < FEW_WORDS:
        return False
    rivals = [code for script in language.scripts for code in _RIVALS.get(script, ())]
    rivals = [code for code in rivals if code != language.code and code not in language.kin]
    if not rivals:
        return False
    own = (language.code, *language.kin)
    scores = _scores(passage)
    best_own = max((scores[code] for code in own if code in scores), default=-math.inf)
    best_rival = max(scores[code] for code in rivals)
    return best_rival - best_own > math.log(SURE / (1 - SURE))


def _closest(passage: str, languages: Sequence[Language]) -> Language:
    scores = _scores(passage)
    return max(languages, key=lambda one: scores.get(one.code, -math.inf))


@lru_cache(maxsize=512)
def _scores(passage: str) -> Mapping[str, float]:
    """Logarithms of likelihoods by language, comparable within one passage."""
    return {code: float(score) for code, score in _identifier().rank(passage.lower())}


@cache
def _identifier() -> Any:  # The package is untyped.
    from py3langid.langid import (  # type: ignore[import-untyped]
        MODEL_FILE,
        LanguageIdentifier,
    )

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=False)


# ── What is read ─────────────────────────────────────────────────────────────────────

_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s<>]{1,2000}")
_PASSAGE_END = re.compile(r"(?<=[.!?;:])\s+|[。！？；\n]+")


@lru_cache(maxsize=8)
def _words_to_read(text: str, allow_terms: tuple[str, ...]) -> str:
    """The words in sentences and lines, without code, addresses, numbers and allowed terms."""
    kept, position = [], 0
    for fence in fences_in(text):
        if fence.language not in {"", "text", "markdown", "md"}:
            kept.append(text[position : fence.start])
            position = fence.end
    kept.append(text[position:])
    words = visible_text("".join(kept))[: 2 * MAX_LETTERS]
    words = _ADDRESS.sub(" ", words)
    for term in allow_terms:
        for start, end in reversed(keyword_places(words, term)):
            words = words[:start] + " " + words[end:]
    return words[:MAX_LETTERS]


def _passages(words: str) -> Iterator[str]:
    for passage in _PASSAGE_END.split(words):
        shown = passage.strip()
        if any(map(str.isalpha, shown)):
            yield shown


def _word_count(passage: str) -> int:
    return len(
        regex.findall(
            r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]|[[\p{L}\p{M}'’-]--[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]]++",
            passage,
            regex.VERSION1,
        )
    )
