package dev.spream.projection.changestream;

import dev.spream.projection.event.FeedItem;
import java.util.function.LongFunction;

/**
 * A row that is to be delivered.
 *
 * @param version of its event; 0 if it is none
 * @param item by its delivery id
 */
record EventRow(long version, LongFunction<FeedItem> item) {}
