package dev.spream.spring;

import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.core.env.PropertySource;

/** The place of a property, for messages: file and line, variable, or property source. */
final class PropertyPlace {
    private PropertyPlace() {}

    static String of(ConfigurationProperty property) {
        Origin origin = property.getOrigin();
        while (origin instanceof PropertySourceOrigin wrapper && wrapper.getOrigin() != null) {
            origin = wrapper.getOrigin();
        }
        if (origin instanceof TextResourceOrigin text && text.getResource() != null && text.getLocation() != null) {
            String file = text.getResource().getFilename();
            if (file != null) {
                return "%s:%d".formatted(file, text.getLocation().getLine() + 1);
            }
        }
        return origin == null ? source(property) : origin.toString();
    }

    private static String source(ConfigurationProperty property) {
        return property.getSource() != null
                        && property.getSource().getUnderlyingSource() instanceof PropertySource<?> source
                ? source.getName()
                : "application properties";
    }
}
