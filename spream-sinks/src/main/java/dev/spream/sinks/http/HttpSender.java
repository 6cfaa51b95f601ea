package dev.spream.sinks.http;

import static java.util.Objects.requireNonNull;

import dev.spream.core.DurationText;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.QueryOutcome;
import dev.spream.outbox.SendOutcome;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends entries to a web service: the payload as the JSON body of a POST or PUT. {@code Idempotency-Key} is the entry's
 * key, by which the service recognises a repeated entry; characters that a header cannot contain, {@code %} and {@code
 * ~} are percent-encoded. The key of an entry that was requeued after an abort ends with {@code ~2}, {@code ~3} and so
 * on, its generation: the service must not repeat its earlier response to it. {@code Spream-Payload-Type} and {@code
 * Spream-Destination} are the type of the payload and the destination, if the entry has them, for routing; {@code
 * traceparent} is the entry's. Redirects are not followed.
 *
 * <table>
 * <caption>What an answer, or none, makes of an attempt</caption>
 * <tr><th>answer</th><th>outcome</th><th>reason</th></tr>
 * <tr><td>2xx</td><td>succeeded; the ledger keeps the status, and up to 64 KiB of the body: JSON as it is, other text as a
 *     JSON string, what is longer or no text not at all</td><td></td></tr>
 * <tr><td>2xx that breaks off, or is not there whole in time</td><td>unknown</td><td>OUTCOME_UNKNOWN, TIMEOUT</td></tr>
 * <tr><td>408, 425, 429, 503</td><td>retryable, no sooner than {@code Retry-After} says</td><td>TIMEOUT, UNAVAILABLE,
 *     RATE_LIMITED, UNAVAILABLE</td></tr>
 * <tr><td>401, 403, 407, 511</td><td>retryable: an operator fixes it</td><td>UNAUTHORIZED</td></tr>
 * <tr><td>404, 405, 421, 426, 501, 505, and 301, 307, 308</td><td>retryable: a wrong URL, or a service that is not
 *     deployed</td><td>UNAVAILABLE</td></tr>
 * <tr><td>400, 406, 411, 413, 414, 415, 417, 431</td><td>permanent</td><td>INVALID_REQUEST</td></tr>
 * <tr><td>409</td><td>unknown: an earlier attempt with this key may be under way</td><td>OUTCOME_UNKNOWN</td></tr>
 * <tr><td>any other 4xx</td><td>permanent</td><td>REJECTED</td></tr>
 * <tr><td>504; 500, 502, any other 5xx and any other 3xx</td><td>unknown: the request may have taken
 *     effect</td><td>TIMEOUT; OUTCOME_UNKNOWN</td></tr>
 * <tr><td>no connection, no such host, a TLS handshake that fails, the end of the time before the body left</td>
 *     <td>retryable: nothing left</td><td>UNAVAILABLE, TIMEOUT</td></tr>
 * <tr><td>a connection that breaks after that, no answer in time, what is no HTTP</td><td>unknown</td><td>OUTCOME_UNKNOWN,
 *     TIMEOUT</td></tr>
 * </table>
 *
 * <p>The meaning of a status can be configured; behind a proxy that responds with 503 when a connection breaks, 503
 * should be unknown. An attempt ends shortly before the worker's timeout, so that it can report whether the request was
 * sent.
 *
 * <table>
 * <caption>What an answer to a query says of an entry that may have reached the service</caption>
 * <tr><th>answer</th><th>outcome</th></tr>
 * <tr><td>2xx but 202</td><td>taken; the ledger keeps the body as above, with the status 200</td></tr>
 * <tr><td>404, or what else was chosen</td><td>not received: the entry is sent again. A service that can be queried has
 *     to record a key before it acts upon it</td></tr>
 * <tr><td>the configured statuses, by default none</td><td>refused permanently</td></tr>
 * <tr><td>202, any other, or none</td><td>still unknown: the query is repeated</td></tr>
 * </table>
 *
 * <p>Safe for use by many threads. Messages contain neither bodies nor paths, queries or headers, which may be secret.
 * Closing cancels requests in flight.
 */
public final class HttpSender implements OutboxSender, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(HttpSender.class);
    private static final Duration MARGIN = Duration.ofMillis(100);

    private final HttpRequests requests;
    private final Guarantee guarantee;
    private final SendResponseMapper sendJudge;
    private final QueryResponseMapper queryJudge;
    private final HttpCalls calls;

    private HttpSender(Builder options) {
        this.requests = new HttpRequests(
                options.method,
                options.url,
                options.queryUrl,
                ConfiguredHeaders.of(options.authorization, options.headers, HttpRequests.OWN_HEADERS));
        this.guarantee = options.guarantee;
        this.sendJudge = new SendResponseMapper(options.url, options.statuses, options.clock);
        this.queryJudge = new QueryResponseMapper(
                options.queryUrl.orElse(options.url), options.notThereStatuses, options.refusedStatuses);
        this.calls = new HttpCalls("http-sender", options.isEncrypted(), options.connectTimeout);
    }

    /**
     * Starts to build a sender.
     *
     * @param url http or https; {@code {key}} in its path or query is replaced by the Idempotency-Key
     * @throws IllegalArgumentException if it is not such a URL
     */
    public static Builder builder(String url) {
        return new Builder(UrlTemplate.parse("url", url));
    }

    @Override
    public String name() {
        return "http";
    }

    @Override
    public Guarantee guarantee() {
        return guarantee;
    }

    @Override
    public SendOutcome send(OutboxEntry entry, Duration timeout) throws InterruptedException {
        OutgoingBody body = new OutgoingBody(entry.payload());
        HttpOutcome outcome = call(requests.send(entry, body), timeout);
        return sendJudge.judge(outcome, body.mayHaveLeft(), timeout);
    }

    @Override
    public QueryOutcome query(OutboxEntry entry, Duration timeout) throws InterruptedException {
        return queryJudge.judge(call(requests.query(entry), timeout), timeout);
    }

    private HttpOutcome call(HttpRequest request, Duration timeout) throws InterruptedException {
        return calls.call(request, within(timeout), ResponseText.MAX_BYTES);
    }

    /**
     * Returns the timeout of a request: slightly less than that of the attempt, by a tenth at most. A thread that is
     * interrupted at the end of the attempt could not report whether anything was sent.
     */
    static Duration within(Duration attempt) {
        Duration tenth = attempt.dividedBy(10);
        return attempt.minus(tenth.compareTo(MARGIN) < 0 ? tenth : MARGIN);
    }

    @Override
    public void close() {
        calls.close();
    }

    @Override
    public String toString() {
        return "http to " + requests;
    }

    /** The HTTP method of a request. */
    public enum Method {
        POST,
        PUT
    }

    /** Builds a sender; each option has a safe default. */
    public static final class Builder {
        private final UrlTemplate url;
        private Method method = Method.POST;
        private Optional<String> authorization = Optional.empty();
        private final List<String> headers = new ArrayList<>();
        private Duration connectTimeout = Duration.ofSeconds(1);
        private Guarantee guarantee = Guarantee.IDEMPOTENT;
        private Optional<UrlTemplate> queryUrl = Optional.empty();
        private Set<Integer> notThereStatuses = Set.of(404);
        private Set<Integer> refusedStatuses = Set.of();
        private StatusTable statuses = StatusTable.DEFAULT;
        private InstantSource clock = InstantSource.system();

        private Builder(UrlTemplate url) {
            this.url = url;
        }

        /** Sets the HTTP method; POST by default. */
        public Builder method(Method method) {
            this.method = requireNonNull(method, "method");
            return this;
        }

        /** The {@code Authorization} header, its scheme included, such as Bearer and a token; none by default. */
        public Builder authorization(String authorization) {
            this.authorization = Optional.of(authorization);
            return this;
        }

        /** Adds a header to every request. */
        public Builder header(String name, String value) {
            return headers(List.of(name + ": " + value));
        }

        /** Adds headers, each as {@code Name: value}. */
        Builder headers(List<String> more) {
            headers.addAll(more);
            return this;
        }

        /** Sets the time limit for connecting, within that of an attempt; 1 second by default. */
        public Builder connectTimeout(Duration connectTimeout) {
            if (connectTimeout.isNegative() || connectTimeout.isZero()) {
                throw new IllegalArgumentException(
                        "connectTimeout is %s, must be positive".formatted(DurationText.of(connectTimeout)));
            }
            this.connectTimeout = connectTimeout;
            return this;
        }

        /** Sets the service's guarantee for an entry that reaches it twice; by default one effect, by its key. */
        public Builder guarantee(Guarantee guarantee) {
            this.guarantee = requireNonNull(guarantee, "guarantee");
            return this;
        }

        /**
         * Sets the URL at which the outcome of an entry is queried, by GET, for a service that is {@linkplain
         * Guarantee#QUERYABLE queryable}.
         *
         * @param queryUrl with {@code {key}} in its path or query
         * @throws IllegalArgumentException if it is not a URL
         */
        public Builder queryUrl(String queryUrl) {
            this.queryUrl = Optional.of(UrlTemplate.parse("query-url", queryUrl));
            return this;
        }

        /**
         * Sets the statuses of a query that mean that the service does not have the entry; 404 by default, which a
         * wrong URL returns as well.
         */
        public Builder queryNotThereStatuses(Set<Integer> statuses) {
            this.notThereStatuses = Set.copyOf(statuses);
            return this;
        }

        /** Sets the statuses of a query that mean a permanent refusal; none by default. */
        public Builder queryRefusedStatuses(Set<Integer> statuses) {
            this.refusedStatuses = Set.copyOf(statuses);
            return this;
        }

        /**
         * Sets the statuses, from 201 on, that mean that the service has not accepted the entry, and may accept it
         * later.
         */
        public Builder retryableStatuses(Set<Integer> statuses) {
            this.statuses = new StatusTable(statuses, this.statuses.permanent(), this.statuses.unknown());
            return this;
        }

        /** Sets the statuses, from 201 on, that mean that the service has not accepted the entry, and never will. */
        public Builder permanentStatuses(Set<Integer> statuses) {
            this.statuses = new StatusTable(this.statuses.retryable(), statuses, this.statuses.unknown());
            return this;
        }

        /** Sets the statuses, from 201 on, that do not show whether the service has accepted the entry. */
        public Builder unknownStatuses(Set<Integer> statuses) {
            this.statuses = new StatusTable(this.statuses.retryable(), this.statuses.permanent(), statuses);
            return this;
        }

        /** Sets the clock with which dates in {@code Retry-After} are compared; the system's clock by default. */
        public Builder clock(InstantSource clock) {
            this.clock = requireNonNull(clock, "clock");
            return this;
        }

        /**
         * Builds the sender, which connects with the first entry.
         *
         * @throws IllegalArgumentException if the options are inconsistent, or a header cannot be sent; the message
         *     contains no value of a header
         */
        public HttpSender build() {
            requireQueryUrl();
            HttpSender sender = new HttpSender(this);
            if (url.isExposed()) {
                boolean secrets = authorization.isPresent() || !headers.isEmpty();
                log.warn("entries{} go to {} unencrypted; use https", secrets ? " and secrets" : "", url);
            }
            return sender;
        }

        /** Checks the options as {@link #build} does, without building a sender. */
        void check() {
            requireQueryUrl();
            ConfiguredHeaders.of(authorization, headers, HttpRequests.OWN_HEADERS);
        }

        private void requireQueryUrl() {
            boolean queryable = guarantee == Guarantee.QUERYABLE;
            if (queryable && queryUrl.filter(UrlTemplate::hasPlace).isEmpty()) {
                throw new IllegalArgumentException(
                        "query-url: a queryable service needs one, with %s in it".formatted(UrlTemplate.PLACE));
            }
            if (!queryable && queryUrl.isPresent()) {
                throw new IllegalArgumentException("query-url: no receiver is queried unless guarantee is queryable");
            }
        }

        private boolean isEncrypted() {
            return url.isEncrypted()
                    || queryUrl.filter(UrlTemplate::isEncrypted).isPresent();
        }
    }
}
