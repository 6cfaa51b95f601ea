package dev.spream.sink.kafka;

import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.record.RecordIdentity;
import java.io.IOException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.NotEnoughReplicasAfterAppendException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.TransactionalIdAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedForMessageFormatException;
import org.apache.kafka.common.errors.UnsupportedVersionException;

/** Classifies refusals of Kafka: caused by the message, by the configuration, or by a temporary condition. */
record KafkaFailures(KafkaOptions options) {

    /** Returns whether Kafka refuses the message itself, so that it is useless to send it again. */
    static boolean isRejection(Throwable failure) {
        return isTooLarge(failure)
                || failure instanceof InvalidTopicException
                || failure instanceof InvalidRecordException
                || failure instanceof InvalidTimestampException
                || failure instanceof SerializationException
                || failure instanceof UnsupportedForMessageFormatException;
    }

    static boolean isTooLarge(Throwable failure) {
        return failure instanceof RecordTooLargeException || failure instanceof RecordBatchTooLargeException;
    }

    /**
     * Returns whether a producer cannot be used after it threw this in the caller's thread: what it throws of a message or
     * of a broker is an {@link ApiException}, and anything else tells of the producer itself.
     */
    static boolean isFinalIfThrown(Exception thrown) {
        return isFinalForProducer(thrown)
                || !(thrown instanceof ApiException || thrown instanceof InterruptException || isRejection(thrown));
    }

    /** Returns whether the producer cannot be used after the failure. */
    static boolean isFinalForProducer(Throwable failure) {
        return failure instanceof AuthenticationException
                || failure instanceof ClusterAuthorizationException
                || failure instanceof TransactionalIdAuthorizationException
                || failure instanceof ProducerFencedException
                || failure instanceof InvalidProducerEpochException
                || failure instanceof UnsupportedVersionException
                || failure instanceof IllegalStateException // it was closed
                || (failure.getCause() != null && isFinalForProducer(failure.getCause()));
    }

    /** Returns the exception for the error handler, for a change one of whose messages was refused. */
    Exception of(RecordIdentity change, Message message, Throwable failure) {
        String topic = message.topic();
        if (isTooLarge(failure)) {
            return new NonRetryableException(
                    "the change %s is too large for topic %s: a message of it has %,d bytes, and Kafka refused it (%s); raise %s, and max.message.bytes of the topic"
                            .formatted(
                                    change,
                                    topic,
                                    message.bytes(),
                                    options.masked(String.valueOf(failure.getMessage())),
                                    options.key("client.max.request.size")),
                    failure);
        }
        if (isRejection(failure)) {
            return new NonRetryableException(
                    "Kafka refused the change %s for topic %s: %s; retrying it will not help"
                            .formatted(change, topic, what(failure)),
                    failure);
        }
        return new IOException(
                "the change %s was not confirmed for topic %s: %s%s"
                        .formatted(change, topic, what(failure), advice(Optional.of(topic), failure)),
                failure);
    }

    /** Returns the exception for a change that was not published, or not completely, because it follows a failed one. */
    IOException behind(RecordIdentity change) {
        return new IOException(
                "the change %s was not published, because an earlier change of its keys was not; it is published after that one"
                        .formatted(change));
    }

    /** Returns the exception for properties that no producer can be made of. */
    static IOException atOpening(KafkaOptions options, KafkaException failure) {
        Throwable reason = failure.getCause() == null ? failure : failure.getCause();
        return new IOException(
                "no connection to %s can be made: %s; check %s and %s"
                        .formatted(
                                options.serverList(),
                                new KafkaFailures(options).what(reason),
                                options.key("bootstrap-servers"),
                                options.key("client.*")),
                failure);
    }

    /** Returns the failure and its causes, such as that a certificate is not trusted, without secrets. */
    String what(Throwable failure) {
        StringBuilder text = new StringBuilder(words(failure));
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Throwable cause = failure.getCause(); cause != null && seen.add(cause); cause = cause.getCause()) {
            if (cause.getMessage() == null || text.indexOf(cause.getMessage()) < 0) {
                text.append(": ").append(words(cause));
            }
        }
        return options.masked(text.toString());
    }

    private static String words(Throwable failure) {
        String name = failure.getClass().getSimpleName();
        return failure.getMessage() == null ? name : "%s (%s)".formatted(failure.getMessage(), name);
    }

    /** Returns the end of a message; empty if no action is needed. */
    String advice(Optional<String> topic, Throwable failure) {
        return switch (failure) {
            case UnknownTopicOrPartitionException unknown ->
                topic.map(this::creation).orElse("");
            case TopicAuthorizationException denied -> mayNotWrite(topic);
            case ClusterAuthorizationException denied ->
                "; the user in use may not publish idempotently: grant it IdempotentWrite on the cluster";
            case TransactionalIdAuthorizationException denied ->
                "; the user in use may not use %s: grant it Write and Describe on the transactional id"
                        .formatted(options.key("transactional-id"));
            case AuthenticationException refused ->
                "; the credentials were refused: check %s".formatted(options.key("client.sasl.* and client.ssl.*"));
            case ProducerFencedException fenced -> otherProducer();
            case InvalidProducerEpochException fenced -> otherProducer();
            case NotEnoughReplicasException few -> replicas();
            case NotEnoughReplicasAfterAppendException few -> replicas();
            case KafkaException wrapped when wrapped.getCause() != null -> advice(topic, wrapped.getCause());
            case TimeoutException late ->
                "; if this continues, check %s, the brokers and the in-sync replicas"
                        .formatted(options.key("bootstrap-servers"));
            default -> "";
        };
    }

    String creation(String topic) {
        return "; the topic does not exist: create it with 'kafka-topics.sh --bootstrap-server %s --create --topic %s --partitions <number>'"
                .formatted(options.serverList(), topic);
    }

    String mayNotWrite(Optional<String> topic) {
        return "; the user in use may not write to it: grant it with 'kafka-acls.sh --bootstrap-server %s --add --allow-principal User:<user> --operation Write --operation Describe --topic %s'"
                .formatted(options.serverList(), topic.orElse("<topic>"));
    }

    private String otherProducer() {
        return "; another process uses the same %s, or the transaction took longer than %s: give each worker its own id, or raise that time"
                .formatted(options.key("transactional-id"), options.key("client.transaction.timeout.ms"));
    }

    private static String replicas() {
        return "; the topic has fewer in-sync replicas than its min.insync.replicas: check the brokers";
    }
}
