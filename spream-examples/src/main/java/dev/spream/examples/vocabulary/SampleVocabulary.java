package dev.spream.examples.vocabulary;

import dev.spream.examples.vocabulary.Command.AddExample;
import dev.spream.examples.vocabulary.Command.AddItem;
import dev.spream.examples.vocabulary.Command.CreateEntry;
import dev.spream.examples.vocabulary.Command.GenerateItems;
import java.util.List;

/** Some Japanese words for a demo of the service. Adding them again has no effect. */
final class SampleVocabulary {
    /** Word, reading, part of speech, definition, difficulty, categories. */
    private static final String WORDS = """
            水|みず|noun|water|beginner|nature,food
            火|ひ|noun|fire|beginner|nature
            山|やま|noun|mountain|beginner|nature
            川|かわ|noun|river|beginner|nature
            海|うみ|noun|sea, ocean|beginner|nature
            空|そら|noun|sky|beginner|nature,weather
            雨|あめ|noun|rain|beginner|weather
            風|かぜ|noun|wind|elementary|weather
            猫|ねこ|noun|cat|beginner|animals
            犬|いぬ|noun|dog|beginner|animals
            鳥|とり|noun|bird|beginner|animals
            魚|さかな|noun|fish|beginner|animals,food
            本|ほん|noun|book|beginner|school
            学校|がっこう|noun|school|beginner|school
            先生|せんせい|noun|teacher|beginner|school,people
            友達|ともだち|noun|friend|beginner|people
            家族|かぞく|noun|family|beginner|people
            電車|でんしゃ|noun|train|beginner|travel
            駅|えき|noun|railway station|beginner|travel
            切符|きっぷ|noun|ticket|elementary|travel
            旅行|りょこう|noun|travel, trip|elementary|travel
            食べる|たべる|verb|to eat|beginner|food
            飲む|のむ|verb|to drink|beginner|food
            読む|よむ|verb|to read|beginner|school
            書く|かく|verb|to write|beginner|school
            話す|はなす|verb|to speak, to talk|beginner|people
            歩く|あるく|verb|to walk|beginner|travel
            泳ぐ|およぐ|verb|to swim|elementary|sport
            調べる|しらべる|verb|to look up, to investigate|elementary|school
            慣れる|なれる|verb|to get used to|intermediate|people
            大きい|おおきい|adjective|big, large|beginner|sizes
            小さい|ちいさい|adjective|small, little|beginner|sizes
            新しい|あたらしい|adjective|new|beginner|time
            静か|しずか|adjective|quiet|elementary|feelings
            懐かしい|なつかしい|adjective|dear and long missed, nostalgic|intermediate|feelings
            曖昧|あいまい|adjective|vague, ambiguous|advanced|language
            ゆっくり||adverb|slowly|beginner|time
            必ず|かならず|adverb|without fail, always|intermediate|time
            こんにちは||expression|hello, good afternoon|beginner|greetings
            ありがとう||expression|thank you|beginner|greetings
            お疲れ様|おつかれさま|expression|thank you for your hard work|elementary|greetings,work
            木漏れ日|こもれび|noun|sunlight that comes through leaves|advanced|nature
            """;

    /** The number of these items, including the ones added as generated. */
    static final long ITEMS = WORDS.lines().count() + 2;

    private SampleVocabulary() {}

    static void add(EntryCommands commands) {
        WORDS.lines().map(line -> line.split("\\|", -1)).forEach(columns -> addWord(commands, columns));
        RequestIds ids = new RequestIds("sample", "水");
        String water = ids.entry();
        addExample(commands, water, ids.item(0));
        addGenerated(commands, water);
    }

    private static void addWord(EntryCommands commands, String[] columns) {
        RequestIds ids = new RequestIds("sample", columns[0]);
        Word word = new Word(columns[0], columns[1], columns[2]);
        String entry = commands.create(new CreateEntry(word), ids).aggregateId();
        List<String> categories = List.of(columns[5].split(","));
        Item item = new Item(ids.item(0), columns[3], columns[4], categories, List.of(), List.of());
        commands.handle(entry, 1, new AddItem(item), new RequestIds("sample", columns[0] + "/item"));
    }

    private static void addExample(EntryCommands commands, String water, String item) {
        RequestIds ids = new RequestIds("sample", "水/example");
        Example example =
                new Example(ids.example(), "水を一杯ください。", "A glass of water, please.", "a restaurant", List.of("polite"));
        commands.handle(water, 2, new AddExample(item, example), ids);
    }

    /** Adds items in the form of a model's output. */
    private static void addGenerated(EntryCommands commands, String water) {
        RequestIds ids = new RequestIds("sample", "水/generated");
        Item cold = new Item(
                ids.item(0),
                "cold water, as opposed to お湯, hot water",
                "elementary",
                List.of("food"),
                List.of("nuance"),
                List.of(new Example(
                        ids.item(0) + "-0", "水で手を洗う。", "To wash one's hands in cold water.", "", List.of())));
        Item element = new Item(
                ids.item(1),
                "Wednesday's element: 水曜日 is Wednesday",
                "intermediate",
                List.of("time"),
                List.of(),
                List.of());
        commands.handle(water, 3, new GenerateItems(List.of(cold, element)), ids);
    }
}
