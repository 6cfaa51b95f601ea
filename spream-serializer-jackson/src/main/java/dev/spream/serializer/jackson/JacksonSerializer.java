package dev.spream.serializer.jackson;

import static java.util.Objects.requireNonNull;

import dev.spream.core.serialization.JsonSerializer;
import dev.spream.core.serialization.SerializationException;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JacksonException.Reference;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.type.LogicalType;

/**
 * A serializer by Jackson 3: records and beans, {@code java.time} as ISO 8601, {@link java.util.Optional}, without
 * annotations. A member that is a sealed interface needs Jackson's {@code @JsonTypeInfo}.
 *
 * <p>Safe for use by many threads.
 */
public final class JacksonSerializer implements JsonSerializer {
    /** The beginning of Jackson's message about a missing member of a record; it contains no values. */
    static final String MISSING = "Missing required ";

    private final ObjectMapper mapper;

    private JacksonSerializer(ObjectMapper mapper) {
        this.mapper = requireNonNull(mapper, "mapper");
    }

    /**
     * Returns a serializer with Jackson's defaults, by which unknown members are ignored, and missing ones are null, except
     * that it does not convert values: text to a number, a number or boolean to text, a number to an enum, a fraction to an
     * integer. A missing number or boolean of a primitive type is refused, in records and in beans, unless it is annotated
     * with {@code @JsonProperty(isRequired = OptBoolean.FALSE)}: then that of a bean keeps its initial value.
     */
    public static JacksonSerializer create() {
        return using(JsonMapper.builder()
                .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
                .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                .enable(EnumFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
                .withCoercionConfig(
                        LogicalType.Textual,
                        text -> text.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                                .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                                .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail))
                .annotationIntrospector(new PrimitivesRequired())
                .addModule(new SimpleModule().setDeserializerModifier(new CompleteBeans()))
                .build());
    }

    /** Returns a serializer over a mapper of the application, which should read what it has written in older versions. */
    public static JacksonSerializer using(ObjectMapper mapper) {
        return new JacksonSerializer(mapper);
    }

    @Override
    public String write(Object value) {
        try {
            return mapper.writeValueAsString(value);
        } catch (JacksonException e) {
            throw failure("a value of %s cannot be written as JSON", value.getClass(), e);
        }
    }

    @Override
    public <T> T read(String json, Class<T> type) {
        @Nullable T value;
        try {
            value = mapper.readValue(json, type);
        } catch (JacksonException e) {
            throw failure("the JSON text is not a value of %s", type, e);
        }
        if (value == null) {
            throw new SerializationException("the JSON text is null, not a value of " + type.getName());
        }
        return value;
    }

    /** Returns the failure without Jackson's message, which may quote the text. */
    private static SerializationException failure(String what, Class<?> type, JacksonException e) {
        String path = e.getPath().stream().map(JacksonSerializer::step).collect(Collectors.joining());
        return new SerializationException("%s: %s%s"
                .formatted(
                        what.formatted(type.getName()),
                        String.valueOf(e.getOriginalMessage()).startsWith(MISSING)
                                ? "a required member is missing"
                                : e.getClass().getSimpleName(),
                        path.isEmpty() ? "" : " at " + path));
    }

    /** Returns a step of a path; the key of a map is data, and left out. */
    private static String step(Reference step) {
        boolean ofMap = step.from() instanceof Map
                || (step.from() instanceof Class<?> type && Map.class.isAssignableFrom(type));
        return step.getPropertyName() == null
                ? "[%d]".formatted(step.getIndex())
                : "." + (ofMap ? "*" : step.getPropertyName());
    }
}
