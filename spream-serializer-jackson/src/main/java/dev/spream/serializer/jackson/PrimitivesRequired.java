package dev.spream.serializer.jackson;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.AnnotatedMember;
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
        return marked == null && member.getRawType().isPrimitive() ? Boolean.TRUE : marked;
    }
}
