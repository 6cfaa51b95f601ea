/** The parts of the delivery of whole transactions. */
@NullMarked
package dev.spream.core.subscription.transaction;

import org.jspecify.annotations.NullMarked;
