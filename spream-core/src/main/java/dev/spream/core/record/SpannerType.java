package dev.spream.core.record;

import static java.util.Objects.requireNonNull;

import java.util.Map;
import java.util.Optional;

/**
 * The type of a column, as the JSON that Spanner sends: {@code
 * {"code":"ARRAY","array_element_type":{"code":"INT64"}}}. Parts unknown to this version are kept in {@link #json()}.
 *
 * @param json the type as sent; it has at least a {@code code}
 */
public record SpannerType(JsonObject json) {
    public SpannerType {
        requireNonNull(json, "json");
    }

    /** Returns a type without parameters, such as {@code INT64}. */
    public static SpannerType of(TypeCode code) {
        return new SpannerType(JsonObject.of(Map.of("code", code.name())));
    }

    public TypeCode code() {
        return TypeCode.of(codeName());
    }

    /** Returns the code as sent, also one that {@link TypeCode} does not know; empty when there was none. */
    public String codeName() {
        return json.string("code").orElse("");
    }

    /** Returns the type of the elements of an array. */
    public Optional<SpannerType> arrayElementType() {
        return json.object("array_element_type").map(SpannerType::new);
    }

    /**
     * Returns the annotation that distinguishes types of one code, such as {@code PG_NUMERIC}, {@code PG_JSONB} and
     * {@code PG_OID}.
     */
    public Optional<String> typeAnnotation() {
        return json.string("type_annotation");
    }

    /** Returns the full name of a PROTO's message or an ENUM. */
    public Optional<String> protoTypeName() {
        return json.string("proto_type_fqn");
    }
}
