"""What the board of a run on Ray tells its workers. It is an actor there, and a plain value here."""

from __future__ import annotations

from ifbench.execution.crashes import row_name
from ifbench.execution.ray_board import Board, Order, Told

ROW = ("verify", "", "s1", "m", 0)


def test_workers_hear_of_a_death_until_each_of_its_rows_has_come_out():
    board = Board()
    assert board.start("w", "verify") == Told(Order.GO_ON, have_died=False)
    board.enter_block("w", "block", [ROW])
    assert not board.report({}).have_died
    assert board.start("w", "verify").have_died
    assert board.report({}).have_died
    assert board.begin_block("w", "again", [ROW]) == (1,)
    board.begin_row("w", ROW)
    assert not board.report({}, ("w", row_name(ROW))).have_died


def test_a_block_that_was_handed_on_is_no_death_of_its_rows():
    board = Board()
    board.enter_block("w", "block", [ROW])
    board.report({}, ("w", "block"))
    assert not board.start("w", "verify").have_died
    assert board.collect(Order.GO_ON).counts == {}


def test_deaths_are_counted_with_the_rows_in_hand():
    board = Board()
    board.enter_block("w", "block", [ROW])
    board.start("w", "verify")
    counts = board.collect(Order.GO_ON).counts
    assert counts == {("workers", "verify", "died"): 1, ("workers", "verify", "rows"): 1}


def test_an_order_is_told_with_the_next_report_and_never_taken_back():
    board = Board()
    board.collect(Order.LET_GO)
    board.collect(Order.STOP)
    assert board.report({("rows", "verify", "in"): 2.0}).order is Order.LET_GO
    assert board.collect(Order.GO_ON).counts == {("rows", "verify", "in"): 2.0}


def test_a_store_that_takes_no_more_stops_everyone_and_is_told_in_each_worker_s_last_words():
    board = Board()
    board.fail("w", "full; 1 kept")
    board.fail("w", "full; 2 kept")
    board.fail("v", "full; 2 kept")
    board.fail("u", "full; 3 kept")
    assert board.report({}).order is Order.STOP
    assert board.collect(Order.GO_ON).failures == ("full; 2 kept", "full; 3 kept")
    assert board.report({}).order is Order.STOP
