package dev.spream.storage.spanner.source;

import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeAnnotationCode;
import com.google.spanner.v1.TypeCode;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.SpannerType;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** Converts types of columns from messages to JSON, in the form of the records of other streams. */
final class ProtoTypes {
    /** The types without parameters, which most columns have, each with its parsed JSON. */
    private static final Map<TypeCode, SpannerType> SIMPLE = new EnumMap<>(TypeCode.class);

    static {
        Arrays.stream(TypeCode.values())
                .filter(code -> code != TypeCode.UNRECOGNIZED)
                .forEach(code -> SIMPLE.put(code, spannerType(Map.of("code", code.name()))));
    }

    private ProtoTypes() {}

    static SpannerType type(Type type) {
        SpannerType simple = isSimple(type) ? SIMPLE.get(type.getCode()) : null;
        return simple != null ? simple : spannerType(members(type));
    }

    private static boolean isSimple(Type type) {
        return !type.hasArrayElementType()
                && type.getTypeAnnotationValue() == TypeAnnotationCode.TYPE_ANNOTATION_CODE_UNSPECIFIED_VALUE
                && type.getProtoTypeFqn().isEmpty();
    }

    private static SpannerType spannerType(Map<String, Object> members) {
        return new SpannerType(JsonObject.of(members));
    }

    private static Map<String, Object> members(Type type) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put(
                "code",
                type.getCode() == TypeCode.UNRECOGNIZED
                        ? String.valueOf(type.getCodeValue())
                        : type.getCode().name());
        if (type.hasArrayElementType()) {
            members.put("array_element_type", members(type.getArrayElementType()));
        }
        if (type.getTypeAnnotationValue() != TypeAnnotationCode.TYPE_ANNOTATION_CODE_UNSPECIFIED_VALUE) {
            members.put(
                    "type_annotation",
                    type.getTypeAnnotation() == TypeAnnotationCode.UNRECOGNIZED
                            ? String.valueOf(type.getTypeAnnotationValue())
                            : type.getTypeAnnotation().name());
        }
        if (!type.getProtoTypeFqn().isEmpty()) {
            members.put("proto_type_fqn", type.getProtoTypeFqn());
        }
        return members;
    }
}
