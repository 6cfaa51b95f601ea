/**
 * Filters in front of any sink: which tables, columns and kinds of change reach it. {@link
 * dev.spream.api.filter.ChangeFilter} decides, and wraps the {@link dev.spream.core.consume.Consumer} behind it. What is
 * filtered out counts as consumed. Nothing here knows configuration or sinks by name.
 */
@NullMarked
package dev.spream.api.filter;

import org.jspecify.annotations.NullMarked;
