/**
 * The queries of one reader, watched for stalls, and the position to which it has read. Start with {@link
 * dev.spream.core.subscription.reading.QueryRunner}. Internal to the subscription's engine.
 */
@NullMarked
package dev.spream.core.subscription.reading;

import org.jspecify.annotations.NullMarked;
