import { describeFiles } from '../describe-files';

describeFiles('test/e2e/browser');
