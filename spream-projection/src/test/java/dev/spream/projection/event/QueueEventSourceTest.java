package dev.spream.projection.event;

/** The contract over the source without positions that tests use. */
final class QueueEventSourceTest extends QueueSourceContract {
    @Override
    protected QueueSourceFixture createFixture() {
        return new QueueEventSourceFixture(source -> source);
    }
}
