package dev.spream.examples.http;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.JsonWriter;
import com.google.gson.stream.MalformedJsonException;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Reads JSON strictly, and writes it in a canonical form: no blanks, the members of an object sorted by name, numbers
 * without superfluous zeros. Texts with the same meaning, and only those, therefore have the same digest.
 */
public final class Json {
    private Json() {}

    /**
     * Parses a text of RFC 8259. An object with a duplicate member is rejected, since receivers interpret it
     * differently.
     *
     * @throws IllegalArgumentException if it is not valid; the message does not contain the text
     */
    public static JsonElement parse(String text) {
        try (JsonReader reader = new JsonReader(new StringReader(text))) {
            reader.setStrictness(Strictness.STRICT);
            JsonElement value = read(reader);
            if (reader.peek() != JsonToken.END_DOCUMENT) {
                throw new IllegalArgumentException("the body has more text after its JSON value");
            }
            return value;
        } catch (IOException | IllegalStateException | NumberFormatException | ArithmeticException e) {
            throw new IllegalArgumentException("the body is not valid JSON");
        }
    }

    private static JsonElement read(JsonReader reader) throws IOException {
        return switch (reader.peek()) {
            case BEGIN_OBJECT -> readObject(reader);
            case BEGIN_ARRAY -> readArray(reader);
            case STRING -> new JsonPrimitive(reader.nextString());
            case NUMBER -> new JsonPrimitive(canonical(new BigDecimal(reader.nextString())));
            case BOOLEAN -> new JsonPrimitive(reader.nextBoolean());
            case NULL -> {
                reader.nextNull();
                yield JsonNull.INSTANCE;
            }
            case NAME, END_ARRAY, END_OBJECT, END_DOCUMENT -> throw new MalformedJsonException("a value is missing");
        };
    }

    private static JsonObject readObject(JsonReader reader) throws IOException {
        JsonObject object = new JsonObject();
        reader.beginObject();
        while (reader.hasNext()) {
            String name = reader.nextName();
            if (object.has(name)) {
                throw new IllegalArgumentException("an object of the body has a member twice");
            }
            object.add(name, read(reader));
        }
        reader.endObject();
        return object;
    }

    private static JsonArray readArray(JsonReader reader) throws IOException {
        JsonArray array = new JsonArray();
        reader.beginArray();
        while (reader.hasNext()) {
            array.add(read(reader));
        }
        reader.endArray();
        return array;
    }

    /** Returns the number with an exponent if that is shorter, so that 1E+9999999 is not a text of ten million characters. */
    private static BigDecimal canonical(BigDecimal number) {
        BigDecimal stripped = number.stripTrailingZeros();
        boolean small = stripped.scale() <= 0 && (long) stripped.precision() - stripped.scale() <= 18;
        return small ? stripped.setScale(0) : stripped;
    }

    /** Returns an array with an element for each item. */
    public static <T> JsonArray array(Collection<T> items, Function<? super T, ? extends JsonElement> element) {
        JsonArray array = new JsonArray();
        items.forEach(item -> array.add(element.apply(item)));
        return array;
    }

    public static String canonical(JsonElement value) {
        StringWriter text = new StringWriter();
        try (JsonWriter writer = new JsonWriter(text)) {
            write(writer, value);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // not thrown by a StringWriter
        }
        return text.toString();
    }

    private static void write(JsonWriter writer, JsonElement value) throws IOException {
        switch (value) {
            case JsonObject object -> {
                writer.beginObject();
                for (var member : new TreeMap<>(object.asMap()).entrySet()) {
                    writer.name(member.getKey());
                    write(writer, member.getValue());
                }
                writer.endObject();
            }
            case JsonArray array -> {
                writer.beginArray();
                for (JsonElement element : array) {
                    write(writer, element);
                }
                writer.endArray();
            }
            case JsonPrimitive primitive when primitive.isNumber() -> writer.value(primitive.getAsBigDecimal());
            case JsonPrimitive primitive when primitive.isBoolean() -> writer.value(primitive.getAsBoolean());
            case JsonPrimitive primitive -> writer.value(primitive.getAsString());
            default -> writer.nullValue();
        }
    }
}
