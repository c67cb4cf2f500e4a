// Prints `N passed, N failed`, summed over the given files with results of Jest's --json. A suite that did not run counts as a failed test.
import { readFileSync } from 'node:fs';

let [passed, failed] = [0, 0];
for (const file of process.argv.slice(2)) {
  try {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(readFileSync(file, 'utf8'));
    passed += numPassedTests;
    failed += numFailedTests + numRuntimeErrorTestSuites;
  } catch (error) {
    console.error(`Jest left no result in ${file}: ${error.message}`);
    failed += 1;
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
