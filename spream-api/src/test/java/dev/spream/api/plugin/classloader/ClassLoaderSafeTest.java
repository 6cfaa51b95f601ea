package dev.spream.api.plugin.classloader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.spi.ChangeFile;
import dev.spream.api.spi.ChangeStreamSourceProvider;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.api.spi.DeadLetterSinkProvider;
import dev.spream.api.spi.EventSourceProvider;
import dev.spream.api.spi.EventStoreProvider;
import dev.spream.api.spi.FileFormat;
import dev.spream.api.spi.MessageFormat;
import dev.spream.api.spi.OutboxSenderProvider;
import dev.spream.api.spi.OutboxStoreProvider;
import dev.spream.api.spi.Port;
import dev.spream.api.spi.Ports;
import dev.spream.api.spi.SearchEngineProvider;
import dev.spream.core.SpreamException;
import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.ChangeHandler;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.consume.TransactionConsumer;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.lock.inspection.LockObserver;
import dev.spream.lock.provisioning.BucketProvisioning;
import dev.spream.outbox.IdempotencyLedger;
import dev.spream.outbox.Outbox;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.OutboxStore;
import dev.spream.projection.BatchCheckpoint;
import dev.spream.projection.Fence;
import dev.spream.projection.ProjectionCode;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionRebuilds;
import dev.spream.projection.ProjectionStore;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.VersionRole;
import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.EventStore;
import dev.spream.projection.event.FeedRequest;
import dev.spream.projection.search.SearchEngine;
import dev.spream.projection.search.SearchIndex;
import dev.spream.projection.search.SearchSchema;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of the calls to the products of plug-ins, and of their context class loader. */
final class ClassLoaderSafeTest {
    private static final ClassLoader PLUGIN = new ClassLoader(null) {};
    private static final ThreadContextClassLoader SCOPE = ThreadContextClassLoader.of(PLUGIN);

    /** A port and what wraps it. */
    record Wrapping<T>(Class<T> port, BiFunction<T, ThreadContextClassLoader, Object> wrap, List<Class<?>> more) {
        ForwardingCheck<T> check() {
            return new ForwardingCheck<>(port, PLUGIN, more);
        }

        Object over(ForwardingCheck<T> check) {
            return wrap.apply(check.target(), SCOPE);
        }

        @Override
        public String toString() {
            return port.getSimpleName();
        }
    }

    static Stream<Wrapping<?>> wrappings() {
        Stream<Wrapping<?>> ports = Ports.ALL.stream().map(port -> wrapping(port.type()));
        Stream<Wrapping<?>> others = Stream.of(
                of(ConsumerProvider.PORT, BatchConsumer.class),
                of(ConsumerProvider.PORT, TransactionConsumer.class),
                of(DeadLetterSinkProvider.PORT, DeadLetterStore.class),
                wrapping(MessageFormat.class),
                wrapping(FileFormat.class),
                wrapping(ChangeFile.class),
                wrapping(SearchIndex.class),
                wrapping(EventFeed.class),
                wrapping(ProjectionOperations.class),
                wrapping(ProjectionRebuilds.class),
                wrapping(Outbox.class),
                wrapping(IdempotencyLedger.class),
                wrapping(OutboxOperations.class),
                wrapping(BucketProvisioning.class),
                wrapping(LockObserver.class),
                wrapping(ChangeStreamCursor.class),
                wrapping(DeadLetterStore.Claim.class),
                new Wrapping<>(BatchConsumer.Batch.class, ClassLoaderSafeConsumer.HostBatch::new, List.of()),
                closeable(ConsumerProvider.PORT, Consumer.class),
                closeable(ConsumerProvider.PORT, BatchConsumer.class),
                closeable(ConsumerProvider.PORT, TransactionConsumer.class),
                closeable(DeadLetterSinkProvider.PORT, DeadLetterStore.class),
                closeable(OutboxSenderProvider.PORT, OutboxSender.class));
        return Stream.concat(ports, others);
    }

    private static <T> Wrapping<T> wrapping(Class<T> type) {
        return new Wrapping<>(type, (target, scope) -> ClassLoaderSafe.of(type, target, scope), List.of());
    }

    /** An implementation of a port that can do more. */
    private static <T, M extends T> Wrapping<M> of(Port<T> port, Class<M> more) {
        return new Wrapping<>(more, (target, scope) -> product(port, target), List.of());
    }

    /** An implementation of a port that can be closed. */
    private static <T> Wrapping<AutoCloseable> closeable(Port<T> port, Class<? extends T> type) {
        return new Wrapping<>(AutoCloseable.class, (target, scope) -> product(port, type.cast(target)), List.of(type));
    }

    private static <T> T product(Port<T> port, T made) {
        return ClassLoaderSafe.of(port.type(), made, SCOPE);
    }

    @ParameterizedTest
    @MethodSource("wrappings")
    <T> void every_method_of_a_port_reaches_the_product_in_its_scope(Wrapping<T> wrapping) throws Exception {
        ForwardingCheck<T> check = wrapping.check();
        check.everyMethodReaches(wrapping.over(check));
    }

    @ParameterizedTest
    @MethodSource("wrappings")
    <T> void exceptions_of_a_product_pass_unchanged_and_the_scope_is_left(Wrapping<T> wrapping) throws Exception {
        ForwardingCheck<T> check = wrapping.check();
        check.everyFailurePasses(wrapping.over(check));
    }

    @Test
    void a_wrapper_that_forgets_a_method_is_noticed() {
        ForwardingCheck<DeadLetterSink> check = new ForwardingCheck<>(DeadLetterSink.class, PLUGIN);
        DeadLetterSink forgetful = new DeadLetterSink() {
            @Override
            public void accept(DeadLetter letter) throws Exception {
                SCOPE.run(() -> check.target().accept(letter));
            }

            @Override
            public Set<RecordKey> parkedKeys() throws Exception {
                return SCOPE.<Set<RecordKey>, Exception>call(
                        () -> check.target().parkedKeys());
            }

            @Override
            public Set<RecordKey> parkedKeys(PartitionLease acquired) throws Exception {
                return SCOPE.<Set<RecordKey>, Exception>call(
                        () -> check.target().parkedKeys(acquired));
            }
        };
        assertThatThrownBy(() -> check.everyMethodReaches(forgetful))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("acceptIfParked");
    }

    @Test
    void a_call_outside_the_scope_is_noticed() {
        ForwardingCheck<Consumer> check = new ForwardingCheck<>(Consumer.class, PLUGIN);
        assertThatThrownBy(() -> check.everyMethodReaches(check.target()))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("loader during");
    }

    @Test
    void the_engine_can_tell_apart_what_it_could_before() {
        Consumer plain = (change, delivery) -> {};
        BatchConsumer batches = batch -> {};
        assertThat(product(ConsumerProvider.PORT, plain)).isNotInstanceOf(BatchConsumer.class);
        assertThat(product(ConsumerProvider.PORT, batches)).isInstanceOf(BatchConsumer.class);
        assertThat(product(DeadLetterSinkProvider.PORT, sample(DeadLetterSink.class)))
                .isNotInstanceOf(DeadLetterStore.class);
        assertThat(product(DeadLetterSinkProvider.PORT, sample(DeadLetterStore.class)))
                .isInstanceOf(DeadLetterStore.class);
    }

    @Test
    void the_shape_with_one_argument_gets_its_changes() throws Exception {
        List<Object> received = new ArrayList<>();
        ChangeHandler consumer = received::add;
        product(ConsumerProvider.PORT, (Consumer) consumer).consume(PortSamples.CHANGE, PortSamples.DELIVERY);
        assertThat(received).containsExactly(PortSamples.CHANGE);
    }

    @Test
    void closing_a_product_that_is_not_closeable_has_no_effect() throws Exception {
        Consumer plain = (change, delivery) -> {};
        ((AutoCloseable) product(ConsumerProvider.PORT, plain)).close();
        assertThat(product(DeadLetterSinkProvider.PORT, sample(DeadLetterSink.class)))
                .isNotInstanceOf(AutoCloseable.class);
    }

    @Test
    void settling_a_change_of_a_batch_runs_as_the_host_does() throws Exception {
        ClassLoader host = Thread.currentThread().getContextClassLoader();
        ForwardingCheck<BatchConsumer.Batch> engine = new ForwardingCheck<>(BatchConsumer.Batch.class, host);
        List<ClassLoader> inConsumer = new ArrayList<>();
        BatchConsumer consumer = batch -> {
            inConsumer.add(Thread.currentThread().getContextClassLoader());
            engine.everyMethodReaches(batch);
            inConsumer.add(Thread.currentThread().getContextClassLoader());
        };
        ((BatchConsumer) product(ConsumerProvider.PORT, (Consumer) consumer)).consume(engine.target());
        assertThat(inConsumer).containsExactly(PLUGIN, PLUGIN);
    }

    @Test
    void queries_and_claims_are_in_the_scope_too() throws Exception {
        ForwardingCheck<ChangeStreamCursor> cursor = new ForwardingCheck<>(ChangeStreamCursor.class, PLUGIN);
        ChangeStreamSource source = returning(ChangeStreamSource.class, cursor.target());
        cursor.everyMethodReaches(
                product(ChangeStreamSourceProvider.PORT, source).query((dev.spream.core.source.PartitionQuery)
                        PortSamples.of(dev.spream.core.source.PartitionQuery.class)));

        ForwardingCheck<DeadLetterStore.Claim> claim = new ForwardingCheck<>(DeadLetterStore.Claim.class, PLUGIN);
        DeadLetterStore store = returning(DeadLetterStore.class, Optional.of(claim.target()));
        claim.everyMethodReaches(((DeadLetterStore) product(DeadLetterSinkProvider.PORT, store))
                .claim(PortSamples.CHANGE.identity(), false)
                .orElseThrow());
    }

    @Test
    void progress_callbacks_run_with_the_class_loader_of_the_host() throws Exception {
        ClassLoader host = Thread.currentThread().getContextClassLoader();
        ForwardingCheck<BucketProvisioning.Progress> engine =
                new ForwardingCheck<>(BucketProvisioning.Progress.class, host);
        List<ClassLoader> inPlugin = new ArrayList<>();
        BucketProvisioning telling = (BucketProvisioning) Proxy.newProxyInstance(
                ClassLoaderSafeTest.class.getClassLoader(),
                new Class<?>[] {BucketProvisioning.class},
                (proxy, method, arguments) -> {
                    inPlugin.add(Thread.currentThread().getContextClassLoader());
                    engine.everyMethodReaches(arguments[0]);
                    return PortSamples.of(method.getReturnType());
                });
        ClassLoaderSafe.of(BucketProvisioning.class, telling, SCOPE).provision(engine.target());
        ClassLoaderSafe.of(BucketProvisioning.class, telling, SCOPE).check(engine.target());
        assertThat(inPlugin).containsExactly(PLUGIN, PLUGIN);
    }

    @Test
    void wake_ups_of_an_outbox_run_with_the_class_loader_of_the_host() {
        ClassLoader host = Thread.currentThread().getContextClassLoader();
        List<ClassLoader> woken = new ArrayList<>();
        List<ClassLoader> closing = new ArrayList<>();
        OutboxStore waking = (OutboxStore) Proxy.newProxyInstance(
                ClassLoaderSafeTest.class.getClassLoader(),
                new Class<?>[] {OutboxStore.class},
                (proxy, method, arguments) -> {
                    ((OutboxStore.Watcher) arguments[0]).wake();
                    return (OutboxStore.Watch)
                            () -> closing.add(Thread.currentThread().getContextClassLoader());
                });
        product(OutboxStoreProvider.PORT, waking)
                .watch(() -> woken.add(Thread.currentThread().getContextClassLoader()))
                .close();
        assertThat(woken).containsExactly(host);
        assertThat(closing).containsExactly(PLUGIN);
    }

    @Test
    void feeds_and_the_source_of_an_event_store_are_in_the_scope_too() throws Exception {
        ForwardingCheck<EventFeed> feed = new ForwardingCheck<>(EventFeed.class, PLUGIN);
        EventSource source = returning(EventSource.class, feed.target());
        feed.everyMethodReaches(product(EventSourceProvider.PORT, source).open(FeedRequest.all("entries")));

        ForwardingCheck<EventSource> ofStore = new ForwardingCheck<>(EventSource.class, PLUGIN);
        EventStore store = returning(EventStore.class, ofStore.target());
        ofStore.everyMethodReaches(product(EventStoreProvider.PORT, store).source());
    }

    @Test
    void indexes_are_in_the_scope_too() throws Exception {
        ForwardingCheck<SearchIndex> index = new ForwardingCheck<>(SearchIndex.class, PLUGIN);
        SearchEngine engine = returning(SearchEngine.class, index.target());
        index.everyMethodReaches(product(SearchEngineProvider.PORT, engine)
                .open("words", (SearchSchema) PortSamples.of(SearchSchema.class)));
    }

    @Test
    void the_work_of_a_batch_runs_with_the_class_loader_of_the_host() throws Exception {
        ClassLoader host = Thread.currentThread().getContextClassLoader();
        List<ClassLoader> inStore = new ArrayList<>();
        List<ClassLoader> inWork = new ArrayList<>();
        ProjectionStore<Object> store = ClassLoaderSafe.of(ProjectionStore.class, working(inStore), SCOPE);
        store.apply(new Fence.Whole("entries", 1), Set.of(), (transaction, states) -> {
            inWork.add(Thread.currentThread().getContextClassLoader());
            return new BatchCheckpoint(Map.of(), Map.of(), List.of(), OptionalLong.empty(), Optional.empty());
        });
        store.retry(new Fence.Whole("entries", 1), "cat", 1, (transaction, last, events) -> {
            inWork.add(Thread.currentThread().getContextClassLoader());
            return last;
        });
        store.prepare(
                new ProjectionVersion("entries", 2, 1, VersionRole.CANDIDATE, 0, false),
                ProjectionCode.PLAIN,
                transaction -> inWork.add(Thread.currentThread().getContextClassLoader()));
        assertThat(inWork).containsExactly(host, host, host);
        assertThat(inStore).containsExactly(PLUGIN, PLUGIN, PLUGIN);
    }

    /** A store that runs the work it is given, and records the context class loader of the store and of the work. */
    @SuppressWarnings("unchecked") // a store of whatever transactions
    private static ProjectionStore<Object> working(List<ClassLoader> inStore) {
        return (ProjectionStore<Object>) Proxy.newProxyInstance(
                ClassLoaderSafeTest.class.getClassLoader(),
                new Class<?>[] {ProjectionStore.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("apply")) {
                        ((ProjectionStore.Work<Object>) arguments[2]).apply("transaction", Map.of());
                    } else if (method.getName().equals("prepare")) {
                        ((ProjectionStore.Preparation<Object>) arguments[2]).create("transaction");
                    } else {
                        ((ProjectionStore.RetryWork<Object>) arguments[3]).apply("transaction", 1, List.of());
                    }
                    inStore.add(Thread.currentThread().getContextClassLoader());
                    return PortSamples.of(method.getReturnType());
                });
    }

    @Test
    void a_thread_without_a_context_class_loader_gets_none_back() {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try {
            thread.setContextClassLoader(null);
            assertThat(SCOPE.<ClassLoader, RuntimeException>call(thread::getContextClassLoader))
                    .isSameAs(PLUGIN);
            ThreadContextClassLoader ofHost = ThreadContextClassLoader.ofThisThread();
            SCOPE.run(() ->
                    ofHost.run(() -> assertThat(thread.getContextClassLoader()).isNull()));
            assertThat(thread.getContextClassLoader()).isNull();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @Test
    void a_product_of_the_class_path_is_not_wrapped() {
        PartitionStorage storage = new InMemoryPartitionStorage(InstantSource.system());
        assertThat(ClassLoaderSafe.of(PartitionStorage.class, storage, ThreadContextClassLoader.unchanged()))
                .isSameAs(storage);
    }

    @Test
    void an_object_with_another_close_is_equal_to_itself() {
        PartitionStorage storage = new InMemoryPartitionStorage(InstantSource.system());
        PartitionStorage lent = ClassLoaderSafe.closing(PartitionStorage.class, storage, () -> {});
        assertThat(List.of(storage, lent)).hasSize(2).doesNotHaveDuplicates().contains(lent);
        assertThat(Set.of(storage, lent)).contains(lent);
    }

    @Test
    void a_checked_exception_that_a_method_does_not_declare_says_what_it_is() {
        IOException thrown = new IOException("the disk is gone");
        assertThatExceptionOfType(SpreamException.class)
                .isThrownBy(() -> throwing(thrown).close())
                .withMessageContaining("Watch.close")
                .withMessageContaining("the disk is gone")
                .withCause(thrown);
    }

    @Test
    void an_undeclared_interrupt_is_passed_on() {
        InterruptedException thrown = new InterruptedException();
        assertThatExceptionOfType(SpreamException.class)
                .isThrownBy(() -> throwing(thrown).close())
                .withCause(thrown);
        assertThat(Thread.interrupted()).isTrue();
    }

    private static <T> T sample(Class<T> port) {
        return port.cast(PortSamples.of(port));
    }

    /** Code of a plug-in in a language whose methods declare no checked exceptions. */
    private static OutboxStore.Watch throwing(Exception thrown) {
        OutboxStore.Watch undeclared = () -> ClassLoaderSafeTest.<RuntimeException>throwAs(thrown);
        return ClassLoaderSafe.of(OutboxStore.Watch.class, undeclared, SCOPE);
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // thrown as it is
    private static <E extends Exception> void throwAs(Exception thrown) throws E {
        throw (E) thrown;
    }

    private static <T> T returning(Class<T> port, Object result) {
        return port.cast(Proxy.newProxyInstance(
                ClassLoaderSafeTest.class.getClassLoader(),
                new Class<?>[] {port},
                (proxy, method, arguments) -> result));
    }
}
