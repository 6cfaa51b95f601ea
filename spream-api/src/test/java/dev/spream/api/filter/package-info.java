/** Tests of filters: what passes, what is left of it, and that a batch is filtered as its changes are one by one. */
@NullMarked
package dev.spream.api.filter;

import org.jspecify.annotations.NullMarked;
