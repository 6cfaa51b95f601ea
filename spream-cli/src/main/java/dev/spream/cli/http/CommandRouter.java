package dev.spream.cli.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import dev.spream.cli.http.PanelCommand.Outcome;
import dev.spream.cli.output.Members;
import dev.spream.core.LoggedFailure;
import dev.spream.core.record.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Validates requests for commands, runs and logs them. A command needs the method POST, the token, a body of JSON and,
 * if a browser sends it, a page of this server. Safe for use by many threads.
 *
 * @param commands by path
 */
record CommandRouter(AccessToken token, Map<String, Target> commands) {
    private static final Logger log = LoggerFactory.getLogger(CommandRouter.class);
    private static final int MAX_BODY = 16 * 1024;
    private static final int MAX_ACTOR = 100;
    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cntrl}\\p{Cf}\\u2028\\u2029]");

    CommandRouter {
        commands = Map.copyOf(commands);
    }

    /** A command of a panel, with the state that it changes. */
    record Target(String panel, String name, PanelCommand command, PanelState state) {
        @Override
        public String toString() {
            return panel + " " + name;
        }
    }

    boolean has(String path) {
        return commands.containsKey(path);
    }

    /** Returns the response to a request for an existing command. */
    Answer answer(HttpExchange exchange, String path) throws IOException, InterruptedException {
        Target target = commands.get(path);
        if (target == null) {
            throw new IllegalArgumentException("no command " + path);
        }
        Optional<Answer> refusal = refusal(exchange);
        if (refusal.isPresent()) {
            return refusal.get();
        }
        byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY + 1);
        if (body.length > MAX_BODY) {
            return Answer.text(Answer.TOO_LARGE, "the body exceeds %d bytes; nothing was done".formatted(MAX_BODY));
        }
        return run(target, body, exchange.getRemoteAddress().getAddress().getHostAddress());
    }

    private Optional<Answer> refusal(HttpExchange exchange) throws InterruptedException {
        Headers request = exchange.getRequestHeaders();
        if (!exchange.getRequestMethod().equals("POST")) {
            exchange.getResponseHeaders().set("Allow", "POST");
            return Optional.of(Answer.text(Answer.METHOD_NOT_ALLOWED, "a command needs the method POST"));
        }
        if (!isOwnPage(request)) {
            return Optional.of(Answer.text(Answer.FORBIDDEN, "pages of other origins may not send commands"));
        }
        if (!token.isIn(request.getFirst("Authorization"))) {
            log.warn(
                    "page: a command from {} was refused: its token is missing or wrong",
                    exchange.getRemoteAddress().getAddress().getHostAddress());
            token.delay();
            exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer realm=\"spream\"");
            return Optional.of(Answer.text(Answer.UNAUTHORIZED, "the token is missing or wrong; nothing was done"));
        }
        List<String> types = request.getOrDefault("Content-Type", List.of());
        if (types.size() != 1 || !isJson(types.getFirst())) {
            return Optional.of(Answer.text(
                    Answer.UNSUPPORTED_MEDIA_TYPE, "a command needs a body of JSON: Content-Type: application/json"));
        }
        return Optional.empty();
    }

    /** Returns whether each origin is the host of the request; programs send no origin. */
    private static boolean isOwnPage(Headers request) {
        String host = Optional.ofNullable(request.getFirst("Host")).orElse("").toLowerCase(Locale.ROOT);
        return request.getOrDefault("Origin", List.of()).stream()
                .allMatch(origin -> !host.isEmpty() && host.equals(authority(origin)));
    }

    private static @Nullable String authority(String origin) {
        try {
            String authority = URI.create(origin).getRawAuthority();
            return authority == null ? null : authority.toLowerCase(Locale.ROOT);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static boolean isJson(String type) {
        String[] parts = type.toLowerCase(Locale.ROOT).replaceAll("[ \t\"]", "").split(";", -1);
        return parts[0].equals("application/json")
                && Arrays.stream(parts)
                        .filter(part -> part.startsWith("charset="))
                        .allMatch("charset=utf-8"::equals);
    }

    private static Answer run(Target target, byte[] body, String address) throws InterruptedException {
        String actor = "page@" + address;
        try {
            JsonObject arguments = JsonObject.of(
                    UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString());
            actor = actor(arguments, address);
            Outcome outcome = target.state().run(target.command(), arguments, actor);
            log.info("page: {} by {}: {}", target, actor, outcome.text());
            return Answer.json(new Members()
                    .put("done", outcome.done())
                    .put("text", outcome.text())
                    .toString());
        } catch (CharacterCodingException | IllegalArgumentException e) {
            String message = e instanceof CharacterCodingException ? "the body is not UTF-8" : LoggedFailure.message(e);
            log.info("page: {} by {} was refused: {}", target, actor, message);
            return Answer.text(Answer.BAD_REQUEST, message);
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            log.warn("page: {} by {} failed", target, actor, LoggedFailure.of(e));
            return Answer.text(Answer.FAILED, LoggedFailure.brief(e));
        }
    }

    /** Returns the name that the page sends, with its address, since names are not verified. */
    private static String actor(JsonObject arguments, String address) {
        String name = arguments.string("actor").map(String::strip).orElse("");
        if (name.length() > MAX_ACTOR || UNPRINTABLE.matcher(name).find()) {
            throw new IllegalArgumentException(
                    "actor must have at most %d characters on one line; nothing was done".formatted(MAX_ACTOR));
        }
        return (name.isEmpty() ? "page" : name) + "@" + address;
    }
}
