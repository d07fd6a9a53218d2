import { javaMajor } from './java.ts';
import { isPythonUsable } from './python-venv.ts';

test.each([
  ['openjdk version "17.0.15" 2025-04-15', 17],
  ['java version "1.8.0_292"', 8],
  ['openjdk version "21-ea" 2023-09-19', 21],
  ['Picked up JAVA_TOOL_OPTIONS: -Dx\nopenjdk version "11.0.2"', 11],
  ['The operation couldn’t be completed. Unable to locate a Java Runtime.', null],
])('the version of Java is read from %p', (output, major) => {
  expect(javaMajor(output)).toBe(major);
});

test.each([
  ['Python 3.11.7', true],
  ['Python 3.10.0', true],
  ['Python 3.9.18', false],
  ['Python 2.7.18', false],
  ['command not found', false],
])('%p can run the wheel: %p', (output, usable) => {
  expect(isPythonUsable(output)).toBe(usable);
});
