package dev.spream.emulator.internal.sql;

import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * JSON as Spanner stores it: members in a fixed order, each name once, numbers in one form.
 *
 * @see <a href="https://cloud.google.com/spanner/docs/working-with-json">Spanner: JSON</a>
 * @see <a href="https://www.postgresql.org/docs/current/datatype-json.html">PostgreSQL: JSON types</a>
 */
public final class NormalJson {
    private static final Pattern WHOLE = Pattern.compile("-?\\d{1,18}");

    /** PostgreSQL orders names by their length in bytes first. */
    private static final Comparator<String> BY_LENGTH = Comparator.<String>comparingInt(name -> utf8(name).length)
            .thenComparing((one, other) -> Arrays.compareUnsigned(utf8(one), utf8(other)));

    private static final Comparator<String> BY_BYTES = (one, other) -> Arrays.compareUnsigned(utf8(one), utf8(other));

    private final boolean postgres;

    private NormalJson(boolean postgres) {
        this.postgres = postgres;
    }

    /** Returns the stored form of a JSON text; throws INVALID_ARGUMENT if it is none. */
    public static String of(String text, boolean postgres) {
        try (JsonReader reader = new JsonReader(new StringReader(text))) {
            reader.setStrictness(Strictness.STRICT);
            String normal = new NormalJson(postgres).value(reader);
            if (reader.peek() == JsonToken.END_DOCUMENT) {
                return normal;
            }
        } catch (IOException | IllegalStateException | NumberFormatException e) {
            throw invalid(text);
        }
        throw invalid(text);
    }

    private static RuntimeException invalid(String text) {
        return Errors.invalidArgument("Invalid JSON: %s", text);
    }

    private String value(JsonReader reader) throws IOException {
        return switch (reader.peek()) {
            case BEGIN_OBJECT -> object(reader);
            case BEGIN_ARRAY -> array(reader);
            case STRING -> quoted(reader.nextString());
            case NUMBER -> number(reader.nextString());
            case BOOLEAN -> Boolean.toString(reader.nextBoolean());
            default -> {
                reader.nextNull();
                yield "null";
            }
        };
    }

    /** GoogleSQL keeps the first member of a name, PostgreSQL the last one. */
    private String object(JsonReader reader) throws IOException {
        Map<String, String> members = new TreeMap<>(postgres ? BY_LENGTH : BY_BYTES);
        reader.beginObject();
        while (reader.hasNext()) {
            String name = reader.nextName();
            String value = value(reader);
            if (postgres) {
                members.put(name, value);
            } else {
                members.putIfAbsent(name, value);
            }
        }
        reader.endObject();
        StringBuilder object = new StringBuilder("{");
        for (Map.Entry<String, String> member : members.entrySet()) {
            object.append(object.length() > 1 ? separator() : "")
                    .append(quoted(member.getKey()))
                    .append(postgres ? ": " : ":")
                    .append(member.getValue());
        }
        return object.append('}').toString();
    }

    private String array(JsonReader reader) throws IOException {
        StringBuilder array = new StringBuilder("[");
        reader.beginArray();
        while (reader.hasNext()) {
            array.append(array.length() > 1 ? separator() : "").append(value(reader));
        }
        reader.endArray();
        return array.append(']').toString();
    }

    private String separator() {
        return postgres ? ", " : ",";
    }

    private String number(String text) {
        if (WHOLE.matcher(text).matches()) {
            return text;
        }
        BigDecimal decimal = new BigDecimal(text);
        if (postgres) {
            return decimal.toPlainString();
        }
        boolean whole = text.chars().allMatch(c -> c == '-' || Character.isDigit(c));
        return whole && decimal.toBigInteger().bitLength() <= Long.SIZE - (decimal.signum() < 0 ? 1 : 0)
                ? text
                : Floats.json(decimal.doubleValue());
    }

    private static String quoted(String text) throws IOException {
        StringWriter out = new StringWriter();
        try (JsonWriter writer = new JsonWriter(out)) {
            writer.setHtmlSafe(false);
            writer.value(text);
        }
        return out.toString();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
