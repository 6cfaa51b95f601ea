package dev.spream.serializer.jackson;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.AnnotatedMethod;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;

/**
 * Makes primitive members required, so that a missing number is an error and not 0. Jackson requires those of
 * constructors and so of records, {@link CompleteBeans} the others.
 */
final class PrimitivesRequired extends JacksonAnnotationIntrospector {
    private static final long serialVersionUID = 1L;

    @Override
    public @Nullable Boolean hasRequiredMarker(MapperConfig<?> config, AnnotatedMember member) {
        Boolean marked = super.hasRequiredMarker(config, member);
        return (marked == null && type(member).isPrimitive()) ? Boolean.TRUE : marked;
    }

    /** The raw type of a setter is the one that it returns, and {@code void} is primitive too. */
    private static Class<?> type(AnnotatedMember member) {
        return member instanceof AnnotatedMethod method && method.getParameterCount() == 1
                ? method.getRawParameterType(0)
                : member.getRawType();
    }
}
