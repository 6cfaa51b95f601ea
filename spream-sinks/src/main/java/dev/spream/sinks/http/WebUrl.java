package dev.spream.sinks.http;

import dev.spream.core.Secrets;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** URLs of servers to which requests are sent. Paths and queries may be secret, and are never shown. */
final class WebUrl {
    private static final Logger log = LoggerFactory.getLogger(WebUrl.class);
    private static final Pattern LOOPBACK = Pattern.compile("localhost|127(\\.\\d+){3}|\\[::1\\]");
    private static final Pattern BEGINNING = Pattern.compile("https?://");

    private WebUrl() {}

    /**
     * @param key the key that configures it
     * @throws IllegalArgumentException if it has parts that are not allowed; the message does not show them
     */
    static URI requireTarget(String key, URI url) {
        if (url.getRawUserInfo() != null) {
            throw new IllegalArgumentException(
                    "%s: user and password do not belong in it; use authorization, as Basic and their base64"
                            .formatted(key));
        }
        if (url.getRawFragment() != null) {
            throw new IllegalArgumentException("%s: the part from # on is never sent; remove it".formatted(key));
        }
        return url;
    }

    static boolean isEncrypted(URI url) {
        return "https".equals(url.getScheme());
    }

    static boolean isExposed(URI url) {
        return !isEncrypted(url) && !LOOPBACK.matcher(url.getHost()).matches();
    }

    /** Returns scheme, host and port. */
    static String origin(URI url) {
        return url.getScheme() + "://" + url.getRawAuthority();
    }

    /** Returns scheme, host and port of a possible URL; at most the scheme if it is not a URL. */
    static String shown(String text) {
        Matcher beginning = BEGINNING.matcher(text);
        if (!beginning.lookingAt()) {
            return Secrets.MASK;
        }
        try {
            URI url = new URI(text);
            String rest = url.getRawPath() + url.getRawQuery() + url.getRawFragment() + url.getRawUserInfo();
            if (url.getHost() != null) {
                String port = url.getPort() < 0 ? "" : ":" + url.getPort();
                String tail = rest.matches("/?(null)+") ? rest.replace("null", "") : "/" + Secrets.MASK;
                return beginning.group() + url.getHost() + port + tail;
            }
        } catch (URISyntaxException e) {
            log.debug("a URL is malformed");
        }
        return beginning.group() + Secrets.MASK;
    }
}
