package dev.spream.api.sink;

import dev.spream.core.record.DataChangeRecord;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where changes are posted to, and how a request looks. Its text has neither path nor headers, which may be secret. */
final class WebhookTarget {
    private static final Logger log = LoggerFactory.getLogger(WebhookTarget.class);
    private static final Pattern LOOPBACK = Pattern.compile("localhost|127(\\.\\d+){3}|\\[::1\\]");

    private static final Pattern BEGINNING = Pattern.compile("https?://");
    private static final String MASK = "********";

    private final URI url;
    private final WebhookHeaders headers;

    private WebhookTarget(URI url, WebhookHeaders headers) {
        this.url = url;
        this.headers = headers;
    }

    static WebhookTarget of(URI url, WebhookHeaders headers) {
        WebhookTarget target = new WebhookTarget(requirePostable(url), headers);
        if (!target.isEncrypted() && !LOOPBACK.matcher(url.getHost()).matches()) {
            log.warn("changes{} go to {} unencrypted; use https", headers.isEmpty() ? "" : " and secrets", target);
        }
        return target;
    }

    /** @throws IllegalArgumentException if the URL has parts that it must not have; the message does not show them */
    static URI requirePostable(URI url) {
        if (url.getRawUserInfo() != null) {
            throw new IllegalArgumentException(
                    "url: user and password do not belong in it; use authorization, as Basic and their base64");
        }
        if (url.getRawFragment() != null) {
            throw new IllegalArgumentException("url: the part from # on is never sent; leave it out");
        }
        return url;
    }

    /** Scheme, host and port of what may be a URL, and of what is none no more than the scheme. */
    static String shown(String text) {
        Matcher beginning = BEGINNING.matcher(text);
        if (!beginning.lookingAt()) {
            return MASK;
        }
        try {
            URI url = new URI(text);
            String rest = url.getRawPath() + url.getRawQuery() + url.getRawFragment() + url.getRawUserInfo();
            if (url.getHost() != null) {
                String port = url.getPort() < 0 ? "" : ":" + url.getPort();
                String tail = rest.matches("/?(null)+") ? rest.replace("null", "") : "/" + MASK;
                return beginning.group() + url.getHost() + port + tail;
            }
        } catch (URISyntaxException e) {
            log.debug("a URL of a webhook is malformed");
        }
        return beginning.group() + MASK;
    }

    boolean isEncrypted() {
        return "https".equals(url.getScheme());
    }

    HttpRequest.Builder request(DataChangeRecord change) {
        HttpRequest.Builder request = HttpRequest.newBuilder(url)
                .POST(BodyPublishers.ofString(change.toJson()))
                .header("Content-Type", "application/json")
                .header("User-Agent", "spream")
                .header("Idempotency-Key", change.identity().toString());
        addIfPlain(request, "Spream-Table", change.tableName());
        addIfPlain(request, "Spream-Mod-Type", change.modTypeName());
        headers.addTo(request);
        return request;
    }

    private static void addIfPlain(HttpRequest.Builder request, String name, String value) {
        if (WebhookHeaders.isValue(value)) {
            request.header(name, value);
        }
    }

    /** Scheme, host and port. */
    @Override
    public String toString() {
        return url.getScheme() + "://" + url.getRawAuthority();
    }
}
