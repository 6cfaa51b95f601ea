package dev.spream.testkit.event;

import dev.spream.projection.event.EventStore;

/** The contract of {@link EventStore} as tests. Extend it in the tests of a store. */
public abstract class EventStoreContract extends EventStoreSuite implements AppendContract, ReadContract {}
