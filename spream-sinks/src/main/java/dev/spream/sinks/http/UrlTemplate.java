package dev.spream.sinks.http;

import dev.spream.outbox.OutboxEntry;
import java.net.URI;
import java.net.URISyntaxException;

/** A URL with a place for an entry's key, if it needs one. Its text form omits path and query, which may be secret. */
record UrlTemplate(String text, URI sample) {
    static final String PLACE = "{key}";
    private static final String SAMPLE = "key";

    /**
     * @param key the key that configures it
     * @throws IllegalArgumentException if it is not such a URL; the message does not show it
     */
    static UrlTemplate parse(String key, String text) {
        try {
            URI sample = new URI(text.replace(PLACE, SAMPLE));
            if (sample.getHost() == null || !String.valueOf(sample.getScheme()).matches("https?")) {
                throw new IllegalArgumentException("%s: expected URL, http or https, with a host".formatted(key));
            }
            WebUrl.requireTarget(key, sample);
            if (!text.startsWith(WebUrl.origin(sample))) {
                throw new IllegalArgumentException("%s: %s must be after the host".formatted(key, PLACE));
            }
            return new UrlTemplate(text, sample);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(
                    "%s: expected URL, http or https, in which only %s is in braces".formatted(key, PLACE), e);
        }
    }

    static String shown(String text) {
        return WebUrl.shown(text.replace(PLACE, SAMPLE));
    }

    boolean hasPlace() {
        return text.contains(PLACE);
    }

    boolean isEncrypted() {
        return WebUrl.isEncrypted(sample);
    }

    boolean isExposed() {
        return WebUrl.isExposed(sample);
    }

    URI of(OutboxEntry entry) {
        return hasPlace() ? URI.create(text.replace(PLACE, IdempotencyKeyHeader.inUrl(entry))) : sample;
    }

    /** Returns scheme, host and port. */
    @Override
    public String toString() {
        return WebUrl.origin(sample);
    }
}
