/**
 * Loaded before the tests: passwords are hashed with the lowest cost that argon2id allows, since tests hash hundreds. A
 * hash carries its parameters, so nothing else changes. Servers that are started as processes hash with the production
 * cost.
 */
import { type HashSettings, passwordHashing } from '../../../src/tenancy/sessions/password-hashing.ts'

export const quick: HashSettings = {
  memoryCost: 8,
  timeCost: 1,
  ofNobody:
    '$argon2id$v=19$m=8,t=1,p=1$SprIb1wasvvX/b4JuU++8VSiWQrxTG/h+V83OfaaVyc$4SO22JrmsZEf+RxSYMkBZFnovRZ92QF6lPTxlGEUN54',
}

passwordHashing.settings = quick
