-- N-queens on immutable lists.  A cell of the list is a block of three words
-- (24 bytes: header, position, tail); a position is another of three, made once
-- by the board and shared.  The lists are lazy: for each cell that the filter
-- keeps, a thunk of four words for the rest of its work is allocated too.  GHC's
-- generational copying collector serves all of them.

{-# LANGUAGE BangPatterns #-}
module Main (main) where

import Control.Exception (evaluate)
import Control.Monad (forM_, when)
import Data.IORef (newIORef, readIORef)
import GHC.Clock (getMonotonicTimeNSec)
import System.Environment (getArgs)
import System.Exit (ExitCode (ExitFailure), exitWith)
import System.IO (hPutStrLn, stderr)
import Text.Read (readMaybe)

data Position = Position !Int !Int

safe :: Position -> Position -> Bool
safe (Position x1 y1) (Position x2 y2) =
  x1 /= x2 && y1 /= y2 && x2 - x1 /= y2 - y1 && x1 - y2 /= x2 - y1

search :: Int -> [Position] -> [Position] -> Int -> Int
search n qs [] !accu
  | length qs == n = accu + 1
  | otherwise = accu
search n qs ps@(q : rest) !accu =
  let !others = search n qs rest accu
  in search n (q : qs) (filter (safe q) ps) others

board :: Int -> [Position]
board n = [Position x y | x <- [0 .. n - 1], y <- [0 .. n - 1]]

main :: IO ()
main = do
  arguments <- getArgs
  case mapM readMaybe arguments of
    Just [n, iterations] | n > 0, iterations > 0 -> measure n iterations
    _ -> do
      hPutStrLn stderr "usage: queens N ITERATIONS"
      exitWith (ExitFailure 2)

-- The size is read anew for each search.  Were it one value outside the loop, so
-- would be the number of solutions, and all searches but the first would be free.
measure :: Int -> Int -> IO ()
measure size iterations = do
  reference <- newIORef size
  forM_ [1 .. iterations] $ \i -> do
    start <- getMonotonicTimeNSec
    n <- readIORef reference
    solutions <- evaluate (search n [] (board n) 0)
    end <- getMonotonicTimeNSec
    when (i == 1) $ putStrLn ("solutions=" ++ show solutions)
    putStrLn ("ns=" ++ show (end - start))
