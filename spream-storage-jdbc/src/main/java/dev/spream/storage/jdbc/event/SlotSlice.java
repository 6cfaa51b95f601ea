package dev.spream.storage.jdbc.event;

import java.util.List;

/**
 * Events of some slots, in the order of their positions.
 *
 * @param to the position up to which there are no other events of these slots
 */
record SlotSlice(List<StoredEvent> events, long to) {}
