package dev.spream.sink.kafka;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The check before anything is published: that a broker answers, that the topic exists, and that it may be written to. It
 * creates nothing.
 *
 * @param topic the topic, if it is known before the first message
 * @param partitions the choice of partitions, with the configured number
 */
record StartCheck(KafkaOptions options, Optional<String> topic, Partitions partitions) {
    private static final Logger log = LoggerFactory.getLogger(StartCheck.class);

    /** @throws IOException if the check fails; the message says what to do */
    void run() throws IOException, InterruptedException {
        if (!options.checkTopic()) {
            return;
        }
        Admin admin = open();
        try {
            if (topic.isPresent()) {
                for (TopicDescription described : answer(admin.describeTopics(List.of(topic.get()), withRights())
                                .allTopicNames())
                        .values()) {
                    check(described);
                }
            } else {
                answer(admin.describeCluster().clusterId());
            }
        } finally {
            admin.close(Duration.ZERO);
        }
    }

    private Admin open() throws IOException {
        try {
            return Admin.create(options.admin());
        } catch (KafkaException e) {
            throw KafkaFailures.atOpening(options, e);
        }
    }

    private static DescribeTopicsOptions withRights() {
        return new DescribeTopicsOptions().includeAuthorizedOperations(true);
    }

    private <T> T answer(KafkaFuture<T> future) throws IOException, InterruptedException {
        try {
            return future.get();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw failed(cause);
        }
    }

    private IOException failed(Throwable cause) {
        KafkaFailures failures = new KafkaFailures(options);
        String without = "; set %s=false to start without the check".formatted(options.key("check-topic"));
        return switch (cause) {
            case UnknownTopicOrPartitionException unknown
            when topic.isPresent() ->
                new IOException(
                        "topic %s cannot be used%s; %s=false leaves it to brokers that create topics"
                                .formatted(topic.get(), failures.creation(topic.get()), options.key("check-topic")),
                        cause);
            case TimeoutException late ->
                new IOException(
                        "no broker of %s answered within %d ms: check %s, the network and %s%s"
                                .formatted(
                                        options.serverList(),
                                        options.startTimeout().toMillis(),
                                        options.key("bootstrap-servers"),
                                        options.key("client.security.protocol"),
                                        without),
                        cause);
            default ->
                new IOException(
                        "%s cannot be used: %s%s"
                                .formatted(
                                        topic.map("topic "::concat).orElse("the cluster at " + options.serverList()),
                                        failures.what(cause),
                                        failures.advice(topic, cause)),
                        cause);
        };
    }

    private void check(TopicDescription description) throws IOException {
        String name = description.name();
        Set<AclOperation> rights = description.authorizedOperations(); // null from an old broker
        if (rights != null && !rights.contains(AclOperation.WRITE)) {
            throw new IOException("topic %s cannot be used%s"
                    .formatted(name, new KafkaFailures(options).mayNotWrite(Optional.of(name))));
        }
        int count = description.partitions().size();
        Optional<String> problem = partitions.problem(name, count);
        if (problem.isPresent()) {
            throw new IOException(problem.get());
        }
        log.debug("messages go to topic {} with {} partitions", name, count);
    }
}
