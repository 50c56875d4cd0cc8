"""Frequent function words of languages, by the names that Snowball gives them.

They tell in which language a text in Latin letters is written, and select nothing when a question has them.
Languages stand in the order of their speakers.
"""

# Letters of other alphabets are meant as such.
# ruff: noqa: RUF001

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final, NamedTuple

_WORDS: Final = {
    "spanish": """
        hoy ayer mañana el los las una unos unas del al y o en con sin por para que qué quién quiénes cuál cuáles
        cuándo cuando dónde donde cómo como cuánto cuánta cuántos cuántas es son era eran fue fueron ser está están
        estaba estoy eres soy somos he has ha hemos han había hay tiene tienen tengo tenía va van voy yo tú él ella
        ellos ellas nosotros ustedes usted vosotros me te se le les lo nos os mi mis tu tus su sus nuestro nuestra
        este esta esto estos estas ese esa eso aquel aquella no sí más muy también pero si ya aún siempre nunca
        después antes hasta desde entre sobre todo nada algo alguien cada porque pues entonces aquí allí ahora tan a
        la de un
    """,
    "portuguese": """
        ontem hoje amanhã os uma umas uns do da dos das no na nos nas em ao aos à às pelo pela com sem para pra por
        que quem qual quais quando onde como porque quanto quanta quantos quantas é são era eram foi foram ser está
        estão estava estou sou somos tem têm tinha tenho ter vai vou vão eu tu você vocês ele ela eles elas nós me
        te se lhe meu minha meus minhas seu sua seus suas nosso nossa teu tua dele dela este esta isso isto esse
        essa aquele aquela aquilo não sim mais muito também mas ou já ainda sempre nunca depois antes até só aqui
        ali lá agora então tudo nada algum alguma cada num numa a as so e o um de
    """,
    "french": """
        à hier le la les des du une et est dans que qui quoi quel quelle quels quelles où quand comment pourquoi
        combien lequel je tu il elle nous vous ils elles on ce cet cette ces ça mon ma mes ton ta tes son sa ses
        notre nos votre vos leur leurs au aux avec sans chez pour sur sous par pas ne plus très aussi mais ou donc
        car était étaient suis es sommes êtes sont été ai as avons avez ont avait avaient fait faire va vais vont
        avoir être même tout toute tous toutes quelque rien jamais toujours déjà encore depuis avant après entre
        alors voilà oui lui eux moi toi se quelqu aujourd cela celui celle a an me or de en un y l qu
    """,
    "german": """
        der das und ist ich du er sie wir ihr nicht mit dem den des ein eine einen einem einer eines zu zum zur auf
        für von vom im aus bei beim nach über unter vor durch gegen ohne um wie wo wer wen wem wessen wann warum
        weshalb wieso welche welcher welches welchen welchem wohin woher womit worüber wieviel dass daß aber oder
        wenn weil als auch noch nur schon sehr mal doch ja nein sind bin bist seid waren wäre habe hast haben hatte
        hatten wird werden wurde wurden worden kann können konnte muss müssen musste soll sollte will wollen wollte
        darf mich dich sich uns euch mir dir ihm ihn ihnen mein meine meinen meinem meiner dein deine deinen deinem
        deiner sein seine seinen seinem seiner ihre ihren ihrem ihrer unser unsere euer eure dieser diese dieses
        diesen diesem jetzt dann da hier immer nie wieder etwas nichts alles kein keine keinen keiner gibt zwischen
        bis seit eigentlich die was war hat in an so man also am her heute morgen gestern
    """,
    "italian": """
        ieri oggi domani il lo gli le una uno di del dello della dei degli delle al allo alla ai agli alle dal dalla
        dai nel nella nei nelle sul sulla con per tra fra che chi cosa quale quali quando dove come perché quanto
        quanta quanti quante è sono sei siamo siete era erano stato stata essere ho hai ha abbiamo avete hanno aveva
        avere io tu lui lei noi voi loro mi ti ci vi si mio mia miei mie tuo tua suo sua nostro vostro questo questa
        questi queste quello quella quelli non più anche ma però se già ancora sempre mai molto poi prima dopo così
        allora qui lì a no me sole sue due la e i o ed ad in un
    """,
    "indonesian": """
        yang dan di ke dari untuk dengan ini itu tidak bukan adalah akan sudah belum telah sedang bisa dapat harus
        saya aku kamu anda dia ia kami kita mereka apa siapa kapan mengapa kenapa bagaimana berapa mana juga tapi
        tetapi atau karena jika kalau pada oleh dalam lebih sangat ada lagi masih sekali saja nya
    """,
    "turkish": """
        bir ve bu şu o da de ki mi mı mu mü için ile ama çok daha en gibi kadar sonra önce var yok değil ben sen biz
        siz onlar bana sana ona bize size onu beni seni benim senin onun bizim sizin onların ne neden niye nasıl
        nerede nereye kim kime kimin hangi kaç zaman şimdi hiç her hep bile sadece olarak olan oldu olduğu
    """,
    "polish": """
        się nie na jest że jak co kto gdzie kiedy dlaczego czemu ile który która które jaki jaka jakie czy ale lub
        albo bo więc już jeszcze też tylko bardzo tak ja ty on ona ono wy oni one mnie mi ciebie ci jego jej ich nas
        was mój moja moje twój twoja był była było byli być będzie jestem jesteś są mam masz ma mamy mają ten ta
        tego tej tym tych te od dla przed po przez przy pod nad za ze we to do my i o a by no
    """,
    "dutch": """
        het een en van ik je jij hij zij ze wij we jullie dat die deze dit niet met voor op aan te er maar ook nog
        als bij naar uit om dan wel geen zijn is was waren heb hebt heeft had hebben hadden ben bent word wordt werd
        worden zal zullen zou kan kunnen kon moet moeten mijn jouw uw ons onze hun haar hem wat wie waar wanneer
        waarom hoe welke welk hoeveel toen nu al over door tot want omdat iets niets altijd weer in of me man to
    """,
    "romanian": """
        și nu este e sunt era erau fost fi va vor cu la de pe din în să se că ce cine când unde cum cât câți câte
        care pentru dar sau dacă mai foarte doar deja încă eu tu el ea noi voi ei ele mă te îl îi le ne vă mi ți lui
        lor meu mea tău ta său sa nostru ăsta asta acest această acela aceea după înainte până între fără acum aici
        acolo am ai are avem aveți au avea a o sub
    """,
    "czech": """
        se na je že jsem jsi jsme jste jsou byl byla bylo byli být bude ale jako jak když kde kdo co který která
        které proč kdy kam kolik tak ten ta tento tato této tohle už ještě také taky pro před při po od ze ke ve
        nebo ani až jen mám máš má máme mají mi ti si ho mu jí jim jeho její jejich můj moje tvůj nás vás nám vám a
        i do o to by my on
    """,
    "hungarian": """
        az egy és hogy nem van volt lesz vagyok vagy vannak voltak ez ezt azt ezek azok én te ő mi ti ők engem téged
        őt nekem neked neki nekünk nekik mit mikor hol hova honnan miért hogyan melyik milyen hány mennyi ki kit
        kinek de ha mert csak már még is meg el be fel le itt ott most majd akkor nagyon mindig soha minden semmi
        valami valaki után előtt alatt a mind
    """,
    "swedish": """
        och det är jag inte till på med av som han hon vi de du har hade var vill kan ska skulle kunde ville blev
        blir vara varit en ett den dem oss er mig dig sig hans hennes deras vår våra min mitt mina din ditt dina vad
        vem när varför hur vilken vilket vilka många mycket också men eller om efter från vid nu så något någon
        ingen alla bara lite sin sitt sina att för där här i have man fan
    """,
    "catalan": """
        el els les la una uns unes dels al als amb per què que qui quan com on és són va vaig vas ha has he hem han
        era molt també però perquè més ja jo tu ell ella nosaltres això aquest aquesta aquests aquell aquella quin
        quina quins quines quant quants cap tot tota tots totes seva seu meva meu teva teu ens us em et es li hi ho
        ara després abans fins des sense sobre entre a de no i o un me so
    """,
    "danish": """
        og det er jeg ikke til på med af der han hun vi de du som har havde var vil kan skal skulle kunne ville blev
        bliver være været en et den dem os jer mig dig sig hans hendes deres vores min mit mine din dit dine hvad
        hvem hvor hvornår hvorfor hvordan hvilken hvilket hvilke mange meget også men eller hvis når efter fra ved
        om nu så noget nogen ingen alle lige bare i at for over under have man her do
    """,
    "finnish": """
        ja on ei en et se että hän minä sinä me te he ne tämä tuo nämä mikä mitä missä mistä mihin milloin miksi
        miten kuka ketä kenen kuinka monta paljon oli olen olet olemme olette ovat ollut olla olisi mutta tai kun
        jos niin kuin myös vain vielä jo nyt sitten minun sinun hänen meidän teidän heidän minulle sinulle hänelle
        joka jotka koska kanssa ennen jälkeen no
    """,
    "norwegian": """
        og det er jeg ikke til på med av som han hun vi de du har hadde var vil kan skal skulle kunne ville ble blir
        være vært en et ei den dem oss dere meg deg seg hans hennes deres vår våre min mitt mine din ditt dine hva
        hvem hvor når hvorfor hvordan hvilken hvilket hvilke mange mye også men eller hvis etter fra ved om nå så
        noe noen ingen alle bare litt bli gikk i at for over under have man her
    """,
    "lithuanian": """
        ir kad yra buvo bus ne tai tas ta jis ji aš tu mes jūs jie jos mano tavo jo jų su iš į už nuo iki po prie
        per apie kas ką kur kada kodėl kaip kiek kuris kuri kurie bet ar arba jei jau dar tik labai taip čia ten
        dabar
    """,
}

# Languages whose letters tell them, so that their words only select nothing.
_OTHER_LETTERS: Final = {
    "arabic": """
        في من على إلى الى عن مع هذا هذه ذلك تلك التي الذي اللي الذين هو هي هم هن أنا انا أنت انت نحن احنا كان كانت
        كانوا يكون تكون قد لقد لا لم لن ليس ليست ما ماذا ايه إيه مين متى إمتى امتى أين فين وين كيف ازاي إزاي لماذا
        ليه كم كام أي أنهي هل أن ان إن أو او و ثم بل لكن بس حتى كل بعض غير بين بعد قبل عند عندي عندك عنده له لها لي
        لك به بها منه منها فيه فيها عليه عليها كده دي ده دول يا
    """,
    "greek": """
        ο η το οι τα του της των τον την και να δεν μην με σε για από στο στη στην στον στα στις που πού πως πώς τι
        ποιος ποια ποιο ποιοι πότε γιατί πόσο πόσα πόσοι είναι ήταν είμαι είσαι έχω έχεις έχει είχε θα μου σου μας
        σας τους εγώ εσύ αυτός αυτή αυτό ένας μια ένα αλλά ή αν όταν μετά πριν πολύ πιο κι
    """,
    "hindi": """
        है हैं था थी थे हूँ हूं हो का की के को से में पर ने भी ही तो और या कि जो यह ये वह वे वो मैं हम तुम आप मेरा
        मेरी मेरे हमारा हमारी हमारे तुम्हारा तुम्हारी आपका आपकी आपके उसका उसकी उसके इसका इसकी इसके अपना अपनी अपने
        क्या कौन कौन-सा कब कहाँ कहां क्यों कैसे कैसा कैसी कितना कितनी कितने किस किसने किसे किसका किसकी किसके सा सी
        नहीं न मत हाँ जी एक लिए साथ बाद पहले तक अब तब जब फिर बहुत कुछ कोई सब कर करके किया करना करता करती करते गया गई
        गए रहा रही रहे वाला वाली वाले
    """,
    "russian": """
        и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее её мне было вот от
        меня еще ещё нет о из ему теперь когда даже ну вдруг ли если уже или ни быть был него до вас нибудь опять уж
        вам ведь там потом себя ничего ей может они тут где есть надо ней для мы тебя их чем была сам чтоб без будто
        чего раз тоже себе под будет ж тогда кто кого кому этот того потому этого какой какая какие какое совсем ним
        здесь этом один почти мой моя мои тем чтобы нее сейчас были куда зачем сколько всех никогда можно при
        наконец два об другой хоть после над больше тот через эти нас про всего них много разве три эту перед
    """,
}

# English words that say that a text in Latin letters is English.
_ENGLISH: Final = """
    the and of to is it that this with i you your my was were are be been have has had not for on at as from they we
    he she his her their our but what when where who why how which do does did will would can could should there
    here just so if or an by about than then them me him us up out no yes i'm it's don't some any all one more very
    get got go going went like know think really good time day in a am
"""

# Words of other languages that English has too, as people type it, so that they tell nothing.
_ALSO_ENGLISH: Final = """
    die war hat man also den mal bin mir um im er fan dig sin men ten op over door hoe pour plus car son ton ma mes
    par ser dos com nos sole due come dove con care sub ha ya pro via mit als os te ve sur e o u y ta pa hem han
    mine ours dem var para per ad una ni ne nu si ki mi mu da do ben sen biz her bile din under van
"""

# Words of other languages that stand in names in English.
_IN_NAMES: Final = """
    de del della delle di du el la las le les los der das den von al en et un des na san da do dos l il lo e y
"""

# Letters that English does not have, and that add to the evidence of a language's words.
_LETTERS: Final = {
    "spanish": "ñáíóúé",
    "portuguese": "ãõçáâéêíóôú",
    "french": "éèêëàâçùûîïôœ",
    "german": "äöüß",
    "italian": "àèéìòù",
    "turkish": "ğışçöü",
    "polish": "ąćęłńóśźż",
    "dutch": "ëïé",
    "romanian": "ăâîșțşţ",
    "czech": "áčďéěíňóřšťúůýž",
    "hungarian": "áéíóöőúüű",
    "swedish": "åäö",
    "catalan": "àçèéíïòóú",
    "danish": "æøå",
    "finnish": "äö",
    "norwegian": "æøå",
    "lithuanian": "ąčęėįšųūž",
}


# Weight of a function word as evidence of its language; of one that stands in names; and of one with such a letter.
_WEIGHT: Final = 2
_NAME_WEIGHT: Final = 1
_SURE: Final = 4


class FunctionWords(NamedTuple):
    """Function words: the evidence of languages in Latin letters, the English ones, and all by language.

    ``indicators`` has the weight of a word and the languages that it indicates; ``letters`` the languages of the
    letters that English does not have. Languages stand in the order of their speakers.
    """

    indicators: Mapping[str, tuple[int, tuple[str, ...]]]
    letters: Mapping[str, tuple[str, ...]]
    english: frozenset[str]
    by_language: Mapping[str, frozenset[str]]


@cache
def function_words() -> FunctionWords:
    """Return the function words of all languages, in lower case."""
    by_language = {language: frozenset(words.split()) for language, words in (_WORDS | _OTHER_LETTERS).items()}
    english, name_words = frozenset(_ENGLISH.split()), frozenset(_IN_NAMES.split())
    unsure = english.union(_ALSO_ENGLISH.split()) - name_words
    indicators: dict[str, tuple[int, tuple[str, ...]]] = {}
    letters: dict[str, tuple[str, ...]] = {}
    for language in _WORDS:
        for word in by_language[language] - unsure:
            weight = _NAME_WEIGHT if word in name_words else _WEIGHT if word.isascii() else _SURE
            indicators[word] = (weight, (*indicators.get(word, (0, ()))[1], language))
        for letter in _LETTERS.get(language, ""):
            letters[letter] = (*letters.get(letter, ()), language)
    return FunctionWords(
        MappingProxyType(indicators), MappingProxyType(letters), english, MappingProxyType(by_language)
    )
