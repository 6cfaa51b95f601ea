/** Tests of the formats, with readers of others: the SDK of CloudEvents and Kafka Connect's converter. */
@NullMarked
package dev.spream.api.format;

import org.jspecify.annotations.NullMarked;
