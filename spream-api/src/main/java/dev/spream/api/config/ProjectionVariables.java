package dev.spream.api.config;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The variables by which deployments configured a service of projections before it was spream's. Some of their names are in
 * the environment of many programs: they mean something only where a program asks for them. What is written in none of their
 * ways is handed on as it is, for its key to judge.
 */
final class ProjectionVariables {
    private static final Pattern COUNT = Pattern.compile("\\d{1,8}");

    private static final List<NamedVariable> ALL = List.of(
            new NamedVariable("DATABASE_URL", "projections.jdbc.url", DatabaseUrl::address),
            new NamedVariable("DATABASE_URL", "projections.jdbc.user", DatabaseUrl::user),
            new NamedVariable("DATABASE_URL", "projections.jdbc.password", DatabaseUrl::password),
            new NamedVariable("EVENT_STORE_URL", "events.jdbc.url", DatabaseUrl::address),
            new NamedVariable("EVENT_STORE_URL", "events.jdbc.user", DatabaseUrl::user),
            new NamedVariable("EVENT_STORE_URL", "events.jdbc.password", DatabaseUrl::password),
            new NamedVariable("PUBSUB_PROJECT_ID", "event-source.pubsub.project", text -> text),
            new NamedVariable("PUBSUB_SUBSCRIPTION", "event-source.pubsub.subscription", text -> text),
            new NamedVariable("PUBSUB_ACK_DEADLINE", "event-source.pubsub.ack-deadline", text -> text),
            new NamedVariable("MEILISEARCH_URL", "search.meilisearch.url", text -> text),
            new NamedVariable("MEILISEARCH_API_KEY", "search.meilisearch.api-key", text -> text),
            new NamedVariable("MAX_RETRY_ATTEMPTS", "projections.max-attempts", ProjectionVariables::withTheFirst),
            new NamedVariable("INITIAL_RETRY_DELAY", "projections.initial-delay", text -> text),
            new NamedVariable("MAX_RETRY_DELAY", "projections.max-delay", text -> text));

    private ProjectionVariables() {}

    /** What they say, by the key that they mean. */
    static Map<String, Setting> settings(Map<String, String> variables) {
        return NamedVariable.settings(ALL, variables);
    }

    /** They count the tries after the first, spream counts that as well. */
    private static String withTheFirst(String retries) {
        return COUNT.matcher(retries).matches() ? String.valueOf(Long.parseLong(retries) + 1) : retries;
    }
}
