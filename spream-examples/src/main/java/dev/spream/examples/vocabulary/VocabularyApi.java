package dev.spream.examples.vocabulary;

import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import dev.spream.core.StorageException;
import dev.spream.examples.http.Answer;
import dev.spream.examples.http.Call;
import dev.spream.examples.http.Json;
import dev.spream.examples.http.JsonServer;
import dev.spream.examples.vocabulary.Command.DeleteItem;
import dev.spream.examples.vocabulary.Requests.Versioned;
import dev.spream.examples.vocabulary.VocabularyEvent.ItemAddedToEntry;
import dev.spream.examples.vocabulary.VocabularyEvent.ItemsGeneratedWithAI;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.search.SearchDocument;
import dev.spream.projection.search.SearchException;
import dev.spream.projection.search.SearchIndex;
import dev.spream.projection.search.SearchQuery;
import dev.spream.projection.search.SearchResult;
import java.io.IOException;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The API for users of the vocabulary: commands, queries, searches, and a search page. The response to a command is
 * sent as soon as its event is stored; queries and searches see it a moment later. A proxy in front of this API
 * authenticates the user and passes the id in the header {@code X-User-Id}. All effects of a request, its response
 * included, have the id from the header {@code X-Correlation-Id}, or else a new one. Safe for use by many threads.
 */
final class VocabularyApi implements JsonServer.Handler {
    private static final Pattern PATH =
            Pattern.compile("/(entries|search|contributors)(?:/([^/]+))?(?:/([^/]+))?" + "(?:/([^/]+))?(?:/([^/]+))?");
    private static final Pattern KEY = Pattern.compile("[\\x21-\\x7e]{1,255}");
    private static final int MAX_NAME = 100;
    private static final int MAX_OFFSET = 10_000;
    private static final int MAX_LIMIT = 1_000;
    private static final int LIMIT = 20;
    private static final Map<String, String> FILTERS = Map.of(
            "difficulty", "difficulty",
            "category", "categories",
            "part_of_speech", "part_of_speech",
            "review_status", "review_status");

    private final EntryCommands commands;
    private final VocabularyQueries queries;
    private final Supplier<SearchIndex> index;
    private final PageFiles page = PageFiles.load();
    private final UnansweredRequests unanswered = new UnansweredRequests(InstantSource.system());

    VocabularyApi(EntryCommands commands, VocabularyQueries queries, Supplier<SearchIndex> index) {
        this.commands = commands;
        this.queries = queries;
        this.index = index;
    }

    @Override
    public Optional<Answer> answer(Call call) throws IOException {
        Matcher path = PATH.matcher(call.path());
        if (!path.matches()) {
            return Optional.of(page.answer(call));
        }
        String correlationId = call.correlationId();
        return Optional.of(answer(call, parts(path)).header(Call.CORRELATION_ID, correlationId));
    }

    private Answer answer(Call call, List<String> parts) throws IOException {
        String kind = call.method() + " /" + parts.getFirst();
        try {
            Answer answer = route(call, parts);
            unanswered.answered(kind);
            return answer;
        } catch (Refusal e) {
            unanswered.answered(kind);
            return refused(e);
        } catch (SQLException | StorageException | SearchException e) {
            unanswered.failed(kind, call.method() + " " + call.rawPath(), call.correlationId(), e);
            return Answer.problem(
                            Answer.UNAVAILABLE,
                            "Not known",
                            "A required service is unavailable. A command may have been executed: repeat it with the "
                                    + "same key.")
                    .header("Retry-After", "1");
        }
    }

    private static Answer refused(Refusal refusal) {
        int status =
                switch (refusal.reason()) {
                    case NOT_FOUND -> Answer.NOT_FOUND;
                    case VERSION_CONFLICT, IDEMPOTENCY_CONFLICT -> Answer.CONFLICT;
                };
        String title = status == Answer.CONFLICT ? "Conflict" : "Not found";
        return Answer.problem(status, title, String.valueOf(refusal.getMessage()))
                .with("reason", refusal.reason().name());
    }

    private Answer route(Call call, List<String> parts) throws IOException, SQLException {
        return switch (parts.getFirst()) {
            case "search" -> only(call, "GET", parts.size() == 1, () -> search(call.query()));
            case "contributors" -> contributor(call, parts);
            default -> entries(call, parts);
        };
    }

    private static List<String> parts(Matcher path) {
        return IntStream.rangeClosed(1, path.groupCount())
                .mapToObj(path::group)
                .filter(Objects::nonNull)
                .toList();
    }

    private static Answer only(Call call, String method, boolean there, Supplier<Answer> answer) {
        if (!there) {
            return nothing();
        }
        return call.method().equals(method) ? answer.get() : Answer.notAllowed(method);
    }

    private static Answer nothing() {
        return Answer.problem(Answer.NOT_FOUND, "Not found", "There is nothing here.");
    }

    private Answer contributor(Call call, List<String> parts) throws IOException, SQLException {
        if (parts.size() != 2) {
            return nothing();
        }
        if (!call.method().equals("PUT")) {
            return Answer.notAllowed("PUT");
        }
        Fields fields = Fields.of(call.body());
        String name = fields.text("name", MAX_NAME);
        fields.requireNoOthers();
        queries.name(userId(parts.get(1)), name);
        JsonObject body = new JsonObject();
        body.addProperty("user_id", parts.get(1));
        body.addProperty("name", name);
        return Answer.json(Answer.OK, body);
    }

    /** {@code /entries[/{entry}[/items[/{item}[/examples]]]]}, and {@code /entries/{entry}/generated-items}. */
    private Answer entries(Call call, List<String> parts) throws IOException, SQLException {
        String method = call.method();
        return switch (parts.size()) {
            case 1 ->
                switch (method) {
                    case "GET" -> list(call.query());
                    case "POST" -> create(call);
                    default -> Answer.notAllowed("GET, POST");
                };
            case 2 -> method.equals("GET") ? entry(parts.get(1), call.query()) : Answer.notAllowed("GET");
            case 3 -> ofEntry(call, parts.get(1), parts.get(2));
            case 4 -> parts.get(2).equals("items") ? ofItem(call, parts.get(1), parts.get(3)) : nothing();
            default ->
                parts.get(2).equals("items") && parts.get(4).equals("examples")
                        ? addExample(call, parts.get(1), parts.get(3))
                        : nothing();
        };
    }

    private Answer list(Map<String, String> query) throws SQLException {
        requireKnown(query, Set.of("word", "offset", "limit"));
        return json(queries.entries(
                query.getOrDefault("word", ""), number(query, "offset", 0, 0, MAX_OFFSET), limit(query)));
    }

    private Answer entry(String entryId, Map<String, String> query) throws SQLException {
        requireKnown(query, Set.of("offset", "limit"));
        int limit = number(query, "limit", MAX_LIMIT, 1, MAX_LIMIT);
        return queries.entry(entryId, number(query, "offset", 0, 0, Integer.MAX_VALUE), limit)
                .map(VocabularyApi::json)
                .orElseGet(() -> Answer.problem(
                        Answer.NOT_FOUND,
                        "Not found",
                        "There is no such entry; one that was just created is here in a moment."));
    }

    private static Answer json(String text) {
        return Answer.text(Answer.OK, "application/json", text);
    }

    private Answer create(Call call) throws IOException {
        RequestIds ids = ids(call);
        return happened(Answer.CREATED, commands.create(Requests.createEntry(call.body()), ids));
    }

    private Answer ofEntry(Call call, String entryId, String what) throws IOException {
        if (!what.equals("items") && !what.equals("generated-items")) {
            return nothing();
        }
        if (!call.method().equals("POST")) {
            return Answer.notAllowed("POST");
        }
        RequestIds ids = ids(call);
        String body = call.body(Requests.MAX_BODY);
        return handle(
                Answer.CREATED,
                entryId,
                what.equals("items") ? Requests.addItem(body, ids) : Requests.generateItems(body, ids),
                ids);
    }

    private Answer ofItem(Call call, String entryId, String itemId) throws IOException {
        return switch (call.method()) {
            case "PATCH" -> handle(Answer.OK, entryId, Requests.updateItem(itemId, call.body()), ids(call));
            case "DELETE" -> {
                Map<String, String> query = call.query();
                requireKnown(query, Set.of("version"));
                int version = number(query, "version", 0, 1, Integer.MAX_VALUE);
                yield handle(Answer.OK, entryId, new Versioned(version, new DeleteItem(itemId)), ids(call));
            }
            default -> Answer.notAllowed("PATCH, DELETE");
        };
    }

    private Answer addExample(Call call, String entryId, String itemId) throws IOException {
        if (!call.method().equals("POST")) {
            return Answer.notAllowed("POST");
        }
        RequestIds ids = ids(call);
        return handle(Answer.CREATED, entryId, Requests.addExample(itemId, call.body(), ids), ids);
    }

    private Answer handle(int status, String entryId, Versioned command, RequestIds ids) {
        return happened(status, commands.handle(entryId, command.version(), command.command(), ids));
    }

    private static Answer happened(int status, EventEnvelope event) {
        JsonObject body = new JsonObject();
        body.addProperty("entry_id", event.aggregateId());
        body.addProperty("version", event.eventVersion());
        body.addProperty("event_type", event.eventType());
        switch (EventCodec.read(event)) {
            case ItemAddedToEntry added ->
                body.addProperty("item_id", added.item().itemId());
            case ItemsGeneratedWithAI generated ->
                body.add("item_ids", Json.array(generated.items(), item -> new JsonPrimitive(item.itemId())));
            case VocabularyEvent.ExampleAdded added ->
                body.addProperty("example_id", added.example().exampleId());
            default -> {}
        }
        return Answer.json(status, body).header("Location", "/entries/" + event.aggregateId());
    }

    private Answer search(Map<String, String> query) {
        Set<String> known = new HashSet<>(FILTERS.keySet());
        known.addAll(Set.of("q", "offset", "limit"));
        requireKnown(query, known);
        Map<String, String> filters = new LinkedHashMap<>();
        FILTERS.forEach((parameter, field) -> Optional.ofNullable(query.get(parameter))
                .filter(value -> !value.isEmpty())
                .ifPresent(value -> filters.put(field, value)));
        SearchResult result = index.get()
                .search(new SearchQuery(
                        query.getOrDefault("q", "").strip(),
                        filters,
                        Optional.empty(),
                        number(query, "offset", 0, 0, MAX_OFFSET),
                        limit(query)));
        return Answer.json(Answer.OK, found(result));
    }

    private static JsonObject found(SearchResult result) {
        JsonObject body = new JsonObject();
        body.addProperty("total", result.total());
        body.addProperty("took_ms", result.took().toNanos() / 1e6);
        body.add("results", Json.array(result.documents(), VocabularyApi::json));
        return body;
    }

    private static JsonObject json(SearchDocument document) {
        JsonObject json = new JsonObject();
        json.addProperty("item_id", document.id());
        document.fields().forEach((name, value) -> {
            switch (value) {
                case List<?> list ->
                    json.add(name, Json.array(list, element -> new JsonPrimitive(String.valueOf(element))));
                case Number number -> json.addProperty(name, number);
                case Boolean flag -> json.addProperty(name, flag);
                default -> json.addProperty(name, String.valueOf(value));
            }
        });
        return json;
    }

    private static void requireKnown(Map<String, String> query, Set<String> known) {
        if (!known.containsAll(query.keySet())) {
            throw new IllegalArgumentException("the query has unknown parameters; there are " + new TreeSet<>(known));
        }
    }

    private static int limit(Map<String, String> query) {
        return number(query, "limit", LIMIT, 1, MAX_LIMIT);
    }

    private static int number(Map<String, String> query, String name, int otherwise, int min, int max) {
        String text = query.get(name);
        try {
            int number = text == null ? otherwise : Integer.parseInt(text);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new IllegalArgumentException("%s must be a whole number of %d to %d".formatted(name, min, max));
    }

    private static RequestIds ids(Call call) {
        List<String> keys = call.headers("Idempotency-Key");
        if (keys.size() != 1 || !KEY.matcher(keys.getFirst()).matches()) {
            throw new IllegalArgumentException(
                    "one header Idempotency-Key is needed, of 1 to 255 printable characters of ASCII without blanks");
        }
        List<String> users = call.headers("X-User-Id");
        return new RequestIds(
                users.isEmpty() ? "anonymous" : userId(users.getFirst()), keys.getFirst(), call.correlationId());
    }

    private static String userId(String text) {
        if (text.isBlank() || text.length() > MAX_NAME || text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(
                    "the id of a user must be a text of 1 to %d characters".formatted(MAX_NAME));
        }
        return text;
    }
}
