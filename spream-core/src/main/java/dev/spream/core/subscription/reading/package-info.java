/**
 * The queries of one reader, watched for stalls, and the position to which it has read. Start with {@link
 * dev.spream.core.subscription.reading.QueryRunner}. Of the subscription's engine; not for users.
 */
@NullMarked
package dev.spream.core.subscription.reading;

import org.jspecify.annotations.NullMarked;
