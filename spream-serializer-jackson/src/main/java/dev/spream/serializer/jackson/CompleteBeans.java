package dev.spream.serializer.jackson;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.CreatorProperty;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.ValueDeserializerModifier;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.deser.std.DelegatingDeserializer;
import tools.jackson.databind.util.NameTransformer;
import tools.jackson.databind.util.TokenBuffer;

/** Refuses beans without a required member; Jackson itself requires the parameters of constructors alone. */
final class CompleteBeans extends ValueDeserializerModifier {
    private static final long serialVersionUID = 1L;

    @Override
    public ValueDeserializer<?> modifyDeserializer(
            DeserializationConfig config, BeanDescription.Supplier bean, ValueDeserializer<?> deserializer) {
        if (!(deserializer instanceof BeanDeserializerBase base)
                || base.getValueInstantiator().canCreateUsingDelegate()) {
            return deserializer;
        }
        Set<SettableBeanProperty> required = new LinkedHashSet<>();
        base.properties().forEachRemaining(member -> {
            if (member.isRequired() && !(member instanceof CreatorProperty)) {
                required.add(member);
            }
        });
        return required.isEmpty() ? deserializer : new CompleteBean(deserializer, required);
    }

    /** Reads the names of the members before the bean. */
    private static final class CompleteBean extends DelegatingDeserializer {
        private final Set<SettableBeanProperty> required;

        CompleteBean(ValueDeserializer<?> bean, Set<SettableBeanProperty> required) {
            super(bean);
            this.required = required;
        }

        @Override
        protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> bean) {
            return new CompleteBean(bean, required);
        }

        /** The members of a bean within another one have other names. */
        @Override
        @SuppressWarnings("unchecked")
        public ValueDeserializer<Object> unwrappingDeserializer(DeserializationContext context, NameTransformer names) {
            return (ValueDeserializer<Object>) _delegatee.unwrappingDeserializer(context, names);
        }

        @Override
        public Object deserialize(JsonParser parser, DeserializationContext context) {
            JsonToken first = parser.currentToken();
            if (first != JsonToken.START_OBJECT && first != JsonToken.PROPERTY_NAME && first != JsonToken.END_OBJECT) {
                return super.deserialize(parser, context);
            }
            TokenBuffer object = context.bufferForInputBuffering(parser);
            if (first == JsonToken.END_OBJECT) { // after the name of its type
                object.writeStartObject();
                object.writeEndObject();
            } else {
                object.deserialize(parser, context);
            }
            Set<String> names = names(object.asParserOnFirstToken(context));
            for (SettableBeanProperty member : required) {
                if (!names.contains(member.getName())
                        && member.findAliases(context.getConfig()).stream()
                                .noneMatch(alias -> names.contains(alias.getSimpleName()))) {
                    return context.reportPropertyInputMismatch(
                            handledType(), member.getName(), JacksonSerializer.MISSING);
                }
            }
            return super.deserialize(object.asParserOnFirstToken(context), context);
        }

        private static Set<String> names(JsonParser object) {
            Set<String> names = new HashSet<>();
            while (object.nextToken() == JsonToken.PROPERTY_NAME) {
                names.add(object.currentName());
                object.nextToken();
                object.skipChildren();
            }
            return names;
        }
    }
}
