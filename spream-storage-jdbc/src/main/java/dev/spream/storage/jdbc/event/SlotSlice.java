package dev.spream.storage.jdbc.event;

import java.util.List;

/**
 * Events of some slots, in the order of their positions.
 *
 * @param to up to where there are no others
 */
record SlotSlice(List<StoredEvent> events, long to) {}
