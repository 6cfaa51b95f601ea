/**
 * The parts of commands that run until a signal: the signals, HTTP while they run, and tracing. Not for users.
 */
@NullMarked
package dev.spream.cli.service;

import org.jspecify.annotations.NullMarked;
