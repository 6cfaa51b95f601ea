/**
 * The panels of the page for dead letters, outboxes, projections and locks, with their commands, and the JSON and texts
 * that they share with the commands of the command line. Each opens its database on the first read, and tries again
 * after a failure. Depends on the API and the cores, not on groups of commands.
 */
@NullMarked
package dev.spream.cli.panel;

import org.jspecify.annotations.NullMarked;
