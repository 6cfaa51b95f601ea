package dev.spream.sink.pubsub;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The full name of a topic.
 *
 * @param project the Google Cloud project, which may belong to a domain: {@code example.com:project}
 * @param topic the topic in the project
 * @see <a href="https://cloud.google.com/pubsub/docs/pubsub-basics#resource_names">Pub/Sub: guidelines to name a
 *     resource</a>
 */
record PubsubTopic(String project, String topic) {
    static final String FORM = "projects/<project>/topics/<topic>";
    private static final Pattern NAME =
            Pattern.compile("projects/(?<project>[a-z0-9.:_-]+)/topics/(?<topic>[A-Za-z][A-Za-z0-9._~+%-]{2,254})");

    /** @throws IllegalArgumentException if it is not the name of a topic; the message states the expected form */
    static PubsubTopic parse(String name) {
        Matcher matcher = NAME.matcher(name);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "expected %s; a topic has 3 to 255 letters, digits and . _ ~ + %% -, a letter first"
                            .formatted(FORM));
        }
        if (matcher.group("topic").startsWith("goog")) {
            throw new IllegalArgumentException("a topic's name cannot begin with goog");
        }
        return new PubsubTopic(matcher.group("project"), matcher.group("topic"));
    }

    String createCommand() {
        return "gcloud pubsub topics create %s --project=%s".formatted(topic, project);
    }

    /** Returns the name in the form of {@link #parse}. */
    @Override
    public String toString() {
        return "projects/" + project + "/topics/" + topic;
    }
}
