package dev.spream.projection.event;

/** The contract over the source of the store in memory. */
final class InMemoryEventSourceTest extends PositionedSourceContract {
    @Override
    protected EventSourceFixture createFixture() {
        return new InMemoryEventSourceFixture(source -> source);
    }
}
