/**
 * The output of commands: columns, JSON, sanitized text and rewritten lines. Independent of commands and options.
 * Internal.
 */
@NullMarked
package dev.spream.cli.output;

import org.jspecify.annotations.NullMarked;
