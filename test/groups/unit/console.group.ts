import { describeFiles } from '../describe-files';

describeFiles('apps/console');
describeFiles('apps/console-web');
