/** Tests of the sender {@code http} over real connections: what it sends, and what it makes of each way to be answered. */
@NullMarked
package dev.spream.api.sender;

import org.jspecify.annotations.NullMarked;
