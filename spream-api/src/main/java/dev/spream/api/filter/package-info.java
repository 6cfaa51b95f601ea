/**
 * Filters in front of any sink: the tables, columns and kinds of change that reach it. {@link
 * dev.spream.api.filter.ChangeFilter} selects them and wraps a {@link dev.spream.core.consume.Consumer}. Changes that
 * are filtered out count as consumed. Independent of configuration and of particular sinks.
 */
@NullMarked
package dev.spream.api.filter;

import org.jspecify.annotations.NullMarked;
