/**
 * Accounts whose movements are events, and two read models that follow them: balances, folded in memory and written
 * once per batch, and statements, a row for each movement. {@link dev.spream.examples.balance.BalanceProgram} shows
 * both.
 */
@NullMarked
package dev.spream.examples.balance;

import org.jspecify.annotations.NullMarked;
