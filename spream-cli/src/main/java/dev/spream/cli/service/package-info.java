/**
 * What commands that run until a signal share: the signals, HTTP while they run, and tracing. Not for users.
 */
@NullMarked
package dev.spream.cli.service;

import org.jspecify.annotations.NullMarked;
